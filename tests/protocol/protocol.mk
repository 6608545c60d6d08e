# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The patch protocol as a model, searched by Spin.

## make check-protocol the model of the patch protocol, whole and with parts removed
.PHONY: check-protocol
check-protocol:
	@B=$(B) tests/protocol/run check

# With signals and failing writes, and three runners as far as memory goes.
.PHONY: check-torture-protocol
check-torture-protocol:
	@B=$(B) tests/protocol/run torture

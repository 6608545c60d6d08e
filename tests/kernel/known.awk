# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Takes warnings that are known to be the kernel's own out of a case's log.
#
#     awk -v test=CASE -v release=RELEASE -v known=OUT -f known.awk known.list LOG
#
# Prints the log without them, and writes a line about each into OUT, which begins with
# its time.  What is known is a whole report, from "cut here" to "end trace", that one
# line of the list describes in all that it says; anything else stays.

# is_known(LINE OF THE LIST): the report in lines 1..nr is what it describes.
function is_known(entry,    field, name, name_nr, found, i, at) {
	split(entry, field, "\t")
	if (field[1] != test || index(release, field[2]) != 1) return 0
	name_nr = split(field[3], name, " ")
	at = 0
	for (i = 1; i <= nr && !at; i++)
		if (index(line[i], "] WARNING: ") && index(line[i], " " name[1] "+0x")) at = i
	if (!at) return 0
	# Not "? name", which is what a call that is over may have left on the stack.
	found = 1
	for (i = at + 1; i <= nr && found < name_nr; i++)
		if (index(line[i], "]  " name[found + 1] "+0x")) found++
	return found == name_nr
}

function print_report(    i) {
	for (i = 1; i <= nr; i++) print line[i]
	nr = 0
}

function end_report(    entry, field) {
	for (entry = 1; entry <= entry_nr && !is_known(list[entry]); entry++)
		;
	if (entry > entry_nr) {
		print_report()
		return
	}
	split(list[entry], field, "\t")
	match(line[1], /\[ *[0-9]+\.[0-9]+\]/)
	print substr(line[1], RSTART, RLENGTH) " " field[3] ": " field[4] >known
	nr = 0
}

FNR == NR {
	if (!/^#/) list[++entry_nr] = $0
	next
}
# One that has another inside is nobody's.
/cut here/ { print_report() }
/cut here/ || nr {
	line[++nr] = $0
	if (/---\[ end trace /) end_report()
	next
}
{ print }
END { print_report() }

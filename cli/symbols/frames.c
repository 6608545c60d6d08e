/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frames.c - functions that are known only by their unwind entries.
 *
 * Owns: reading .eh_frame for function bounds, also for other files.  A function without a
 * symbol is named OBJECT+0xOFFSET, where the offset is its address in the file, as the engine
 * names it in a process.
 */
#include "object.h"
#include "section.h"
#include "symbols.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <elfutils/libdw.h>

struct frames {
	struct symbols *s;
	unsigned int module;
	const Elf_Data *data;
	uint64_t section;		/* the section's address in the file */
};

/* How the CIE says that its FDEs write addresses; -1 when it cannot be told. */
static int encoding_of(const Dwarf_CIE *cie)
{
	const char *augmentation = cie->augmentation;
	const uint8_t *at = cie->augmentation_data;
	const uint8_t *end = at + cie->augmentation_data_size;

	if (*augmentation++ != 'z' || !at)
		return DW_EH_PE_absptr;
	for (; *augmentation && at < end; augmentation++) {
		switch (*augmentation) {
		case 'R':
			return *at;
		case 'L':
			at++;
			break;
		case 'P':
			switch (*at & 7) {
			case DW_EH_PE_absptr:
			case DW_EH_PE_udata8:
				at += 9;
				break;
			case DW_EH_PE_udata4:
				at += 5;
				break;
			case DW_EH_PE_udata2:
				at += 3;
				break;
			default:
				return -1;
			}
			break;
		case 'S':
		case 'B':
			break;
		default:
			return -1;
		}
	}
	return DW_EH_PE_absptr;
}

static bool take_value(const uint8_t **at, const uint8_t *end, int format,
		       uint64_t *value)
{
	int32_t narrow;
	int16_t short_value;
	size_t len = (format & 7) == DW_EH_PE_udata4 ? 4 :
		     (format & 7) == DW_EH_PE_udata2 ? 2 : 8;

	if ((format & 7) == DW_EH_PE_uleb128 || (size_t)(end - *at) < len)
		return false;
	*value = 0;
	memcpy(value, *at, len);
	if (len == 4 && format & DW_EH_PE_signed) {
		memcpy(&narrow, *at, 4);
		*value = (uint64_t)(int64_t)narrow;
	} else if (len == 2 && format & DW_EH_PE_signed) {
		memcpy(&short_value, *at, 2);
		*value = (uint64_t)(int64_t)short_value;
	}
	*at += len;
	return true;
}

static bool bounds_of(const struct frames *f, const Dwarf_FDE *fde,
		      uint64_t *start, uint64_t *len)
{
	const uint8_t *at = fde->start;
	uint64_t here = f->section +
			(uint64_t)(at - (const uint8_t *)f->data->d_buf);
	Dwarf_Off next;
	Dwarf_CFI_Entry cie;
	int format;

	if (dwarf_next_cfi((const void *)elf_getident(dwfl_module_getelf(
				   f->s->modules[f->module].dwfl,
				   &(GElf_Addr){ 0 }), NULL),
			   (Elf_Data *)f->data, true, fde->CIE_pointer, &next,
			   &cie) || !dwarf_cfi_cie_p(&cie))
		return false;
	format = encoding_of(&cie.cie);
	if (format < 0 || format & DW_EH_PE_indirect ||
	    !take_value(&at, fde->end, format, start) ||
	    !take_value(&at, fde->end, format & 7, len))
		return false;
	switch (format & 0x70) {
	case DW_EH_PE_pcrel:
		*start += here;
		return true;
	case 0:
		return true;
	}
	return false;
}

void symbols_frames(struct symbols *s, unsigned int module, symbols_frame_fn fn,
		    void *arg)
{
	struct frames f = { .s = s, .module = module };
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(s->modules[module].dwfl, &bias);
	const unsigned char *ident = (void *)elf_getident(elf, NULL);
	Dwarf_CFI_Entry entry;
	Dwarf_Off off, next = 0;
	GElf_Shdr sh;
	Elf_Scn *scn = section_named(elf, NULL, ".eh_frame", &sh);
	uint64_t start, len;
	int more;

	f.data = scn && sh.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;
	if (!f.data || !f.data->d_size || !ident)
		return;
	f.section = sh.sh_addr;
	do {
		off = next;
		more = dwarf_next_cfi(ident, (Elf_Data *)f.data, true, off,
				      &next, &entry);
		if (!more && !dwarf_cfi_cie_p(&entry) &&
		    bounds_of(&f, &entry.fde, &start, &len) && start && len)
			fn(arg, start + s->modules[module].bias, len);
	} while (more <= 0 && next != (Dwarf_Off)-1 && next > off);
}

/* ---- elfutils' rules --------------------------------------------------------------- */

static void pose_as(Elf *elf, GElf_Ehdr *eh, unsigned int machine)
{
	eh->e_machine = (GElf_Half)machine;
	gelf_update_ehdr(elf, eh);
}

/*
 * Once for each module it looks for the rules of its processor, without which it reads no
 * entry.  Where it knows none, those of another one serve (OBJECT_CFI_OF).
 */
void symbols_begin_frames(Dwfl_Module *module)
{
	GElf_Addr own;
	Elf *elf = OBJECT_CFI_OF ? dwfl_module_getelf(module, &own) : NULL;
	GElf_Ehdr eh;

	if (!elf || !gelf_getehdr(elf, &eh) || eh.e_machine != OBJECT_MACHINE)
		return;
	pose_as(elf, &eh, OBJECT_CFI_OF);
	dwfl_module_eh_cfi(module, &own);
	pose_as(elf, &eh, OBJECT_MACHINE);
}

/* ---- functions without a symbol ------------------------------------------------ */

struct adding {
	struct symbols *s;
	unsigned int module;
	size_t nr;			/* symbols that were there before */
};

static void add_frame(void *arg, uint64_t start, uint64_t len)
{
	struct adding *f = arg;
	const struct symbol_module *m = &f->s->modules[f->module];
	char name[300];

	if (symbols_knows(f->s, f->nr, start))
		return;
	snprintf(name, sizeof(name), "%s+0x%lx", m->label,
		 (unsigned long)(start - m->bias));
	if (!symbols_add(f->s, name, start, len, f->module, 4))
		f->s->all[f->s->nr - 1].unnamed = true;
}

void symbols_add_frames(struct symbols *s, unsigned int module)
{
	struct adding f = { .s = s, .module = module, .nr = s->nr };

	symbols_frames(s, module, add_frame, &f);
}

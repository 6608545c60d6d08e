// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * flame.c - flame graphs of folded stacks: SVG, with a script that searches and zooms.
 *
 * Owns: where a frame is drawn.  Lines are sorted, so frames that several lines begin with are
 * beside each other: a frame is open from the first line that has it to the last, and is drawn
 * when it is closed.  Callers are below their callees.  Names are text, whatever is in them: all
 * that is executed is flame_script.h.
 */
#include "read.h"
#include "flame_script.h"

#include <inttypes.h>
#include <string.h>

#define WIDTH	1200
#define SIDE	10			/* left and right of the picture */
#define ROW	16
#define HEAD	40			/* above it */
#define LETTER	6.6			/* the width of one */
#define THIN	0.1			/* what is less is not drawn */
#define DEPTH_MAX (2 * KT_DEPTH_MAX + 64)

struct frame {
	const char *name;
	size_t len;
	u64 from;			/* where it begins, in counts */
};

struct picture {
	FILE *out;
	u64 total;
	double scale;			/* of a count */
	u32 rows;
	struct frame open[DEPTH_MAX];
	u32 depth;
	u64 at;				/* counts of the lines that were seen */
};

/* What XML does not allow is replaced. */
static void put_xml(FILE *out, const char *text, size_t len)
{
	size_t at, nr;

	for (at = 0; at < len; at += nr ? nr : 1) {
		nr = read_character(text + at, len - at);
		if (!nr || (nr == 3 && !memcmp(text + at, "\xef\xbf", 2)))
			fputs("\xef\xbf\xbd", out);
		else if ((unsigned char)text[at] < ' ')
			putc('_', out);
		else if (text[at] == '<' || text[at] == '>' || text[at] == '&')
			fprintf(out, "&#%d;", text[at]);
		else
			fwrite(text + at, 1, nr, out);
	}
}

/* The same name has the same colour; the kernel's are of another one. */
static void put_colour(FILE *out, const struct frame *frame, bool kernel)
{
	u32 hash = 2166136261u;
	size_t i;

	for (i = 0; i < frame->len; i++)
		hash = (hash ^ (unsigned char)frame->name[i]) * 16777619u;
	hash ^= hash >> 15;
	if (kernel)
		fprintf(out, "hsl(%u,55%%,%u%%)", 200 + hash % 25, 62 + hash / 32 % 14);
	else
		fprintf(out, "hsl(%u,80%%,%u%%)", 8 + hash % 42, 58 + hash / 64 % 14);
}

/* As much of the name as there is room for; not within a character. */
static void put_name(struct picture *p, const struct frame *frame, double x, double y,
		     double width)
{
	size_t room = width > 3 * LETTER ? (size_t)((width - 4) / LETTER) : 0;
	size_t len = frame->len;

	if (room < 3)
		return;
	if (len > room)
		for (len = room - 2; len && (frame->name[len] & 0xc0) == 0x80; len--)
			;
	fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + ROW - 4.5);
	put_xml(p->out, frame->name, len);
	fprintf(p->out, "%s</text>", len < frame->len ? ".." : "");
}

static void close_frame(struct picture *p)
{
	struct frame frame = p->open[--p->depth];
	u64 count = p->at - frame.from;
	double width = (double)count * p->scale;
	double x = SIDE + (double)frame.from * p->scale;
	double y = HEAD + (double)(p->rows - 1 - p->depth) * ROW;
	bool kernel = frame.len && frame.name[0] == READ_KERNEL;

	if (width < THIN)
		return;
	frame.name += kernel;
	frame.len -= kernel;
	fputs("<g class=\"f\"><title>", p->out);
	put_xml(p->out, frame.name, frame.len);
	fprintf(p->out, " (%" PRIu64 ", %.2f%%)</title><rect x=\"%.1f\" y=\"%.1f\" "
		"width=\"%.1f\" height=\"%d\" rx=\"1\" fill=\"", count,
		100 * (double)count / (double)p->total, x, y, width, ROW - 1);
	put_colour(p->out, &frame, kernel);
	fputs("\"/>", p->out);
	put_name(p, &frame, x, y, width);
	fputs("</g>\n", p->out);
}

/* The frame that the text begins with; what is behind it. */
static const char *first_frame(const char *text, const char *end, size_t *len)
{
	const char *between = memchr(text, READ_BETWEEN, (size_t)(end - text));

	*len = (size_t)((between ? between : end) - text);
	return between ? between + 1 : end;
}

static bool is_same(const struct frame *frame, const char *name, size_t len)
{
	return frame->len == len && !memcmp(frame->name, name, len);
}

static void draw_line(struct picture *p, const char *text, size_t text_len, u64 count)
{
	const char *end = text + text_len, *behind;
	size_t len;
	u32 depth;

	/* The outermost is all of them. */
	for (depth = 1; text < end && depth < p->depth; depth++, text = behind) {
		behind = first_frame(text, end, &len);
		if (!is_same(&p->open[depth], text, len))
			break;
	}
	while (p->depth > depth)
		close_frame(p);
	for (; text < end && p->depth < DEPTH_MAX; text = behind) {
		behind = first_frame(text, end, &len);
		p->open[p->depth++] = (struct frame){ text, len, p->at };
	}
	p->at = read_saturated(p->at, count);
}

/* What all lines are together, and how many frames the deepest has. */
static void measure(struct picture *p, const struct read_folded *folded)
{
	u32 i, rows;

	p->rows = 1;
	for (i = 0; i < folded->nr; i++) {
		const char *text = folded->text.bytes + folded->lines[i].at;
		const char *end = text + folded->lines[i].len;
		size_t len;

		for (rows = 1; text < end && rows < DEPTH_MAX; rows++)
			text = first_frame(text, end, &len);
		p->rows = rows > p->rows ? rows : p->rows;
		p->total = read_saturated(p->total, folded->lines[i].count);
	}
	p->scale = p->total ? (double)(WIDTH - 2 * SIDE) / (double)p->total : 0;
}

void trace_reader_flame(struct trace_reader *reader, const char *title, FILE *out)
{
	struct read_folded folded;
	struct picture p = { .out = out };
	u32 i;

	read_fold(reader, &folded);
	measure(&p, &folded);
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" "
		"font-family=\"monospace\" font-size=\"11\">\n"
		"<style>g:hover rect{stroke:#000}text{pointer-events:none}"
		"#found{pointer-events:auto;cursor:pointer}</style>\n"
		"<rect id=\"ground\" width=\"100%%\" height=\"100%%\" fill=\"#fdf8ee\"/>\n"
		"<text id=\"found\" x=\"%d\" y=\"24\" text-anchor=\"end\">search</text>\n"
		"<text x=\"%d\" y=\"24\" font-size=\"16\">", WIDTH,
		HEAD + p.rows * ROW + SIDE, WIDTH - SIDE, SIDE);
	put_xml(out, title, strlen(title));
	fputs("</text>\n", out);
	p.open[p.depth++] = (struct frame){ "all", 3, 0 };
	for (i = 0; i < folded.nr; i++)
		draw_line(&p, folded.text.bytes + folded.lines[i].at,
			  folded.lines[i].len, folded.lines[i].count);
	while (p.depth)
		close_frame(&p);
	fputs(flame_script, out);
	fputs("</svg>\n", out);
	read_folded_free(&folded);
	fflush(out);
}

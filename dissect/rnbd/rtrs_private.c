/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/rnbd/rtrs_private.h"

#define SECTION "Linux, drivers/infiniband/ulp/rtrs"
#define AT(offset, width) offset, width
#define ROW(name, label, at, show) { name, label, at, show, RTAP_LITTLE, NULL, NULL, NULL }
#define VERSION_MAJOR 2

/* Linux's numbers, as all processors but alpha, mips, parisc and sparc have them. */
const struct rtap_name rtrs_private_errno_names[] = {
	{ 0, "success" }, { 1, "EPERM" }, { 2, "ENOENT" }, { 3, "ESRCH" }, { 4, "EINTR" }, { 5, "EIO" }, { 6, "ENXIO" },
	{ 7, "E2BIG" }, { 8, "ENOEXEC" }, { 9, "EBADF" }, { 10, "ECHILD" }, { 11, "EAGAIN" }, { 12, "ENOMEM" },
	{ 13, "EACCES" }, { 14, "EFAULT" }, { 15, "ENOTBLK" }, { 16, "EBUSY" }, { 17, "EEXIST" }, { 18, "EXDEV" },
	{ 19, "ENODEV" }, { 20, "ENOTDIR" }, { 21, "EISDIR" }, { 22, "EINVAL" }, { 23, "ENFILE" }, { 24, "EMFILE" },
	{ 25, "ENOTTY" }, { 26, "ETXTBSY" }, { 27, "EFBIG" }, { 28, "ENOSPC" }, { 29, "ESPIPE" }, { 30, "EROFS" },
	{ 31, "EMLINK" }, { 32, "EPIPE" }, { 33, "EDOM" }, { 34, "ERANGE" }, { 35, "EDEADLK" }, { 36, "ENAMETOOLONG" },
	{ 37, "ENOLCK" }, { 38, "ENOSYS" }, { 39, "ENOTEMPTY" }, { 40, "ELOOP" }, { 52, "EBADE" }, { 61, "ENODATA" },
	{ 62, "ETIME" }, { 67, "ENOLINK" }, { 70, "ECOMM" }, { 71, "EPROTO" }, { 74, "EBADMSG" }, { 75, "EOVERFLOW" },
	{ 84, "EILSEQ" }, { 88, "ENOTSOCK" }, { 90, "EMSGSIZE" }, { 92, "ENOPROTOOPT" }, { 93, "EPROTONOSUPPORT" },
	{ 95, "EOPNOTSUPP" }, { 98, "EADDRINUSE" }, { 99, "EADDRNOTAVAIL" }, { 100, "ENETDOWN" }, { 101, "ENETUNREACH" },
	{ 103, "ECONNABORTED" }, { 104, "ECONNRESET" }, { 105, "ENOBUFS" }, { 106, "EISCONN" }, { 107, "ENOTCONN" },
	{ 108, "ESHUTDOWN" }, { 110, "ETIMEDOUT" }, { 111, "ECONNREFUSED" }, { 112, "EHOSTDOWN" }, { 113, "EHOSTUNREACH" },
	{ 114, "EALREADY" }, { 115, "EINPROGRESS" }, { 116, "ESTALE" }, { 117, "EUCLEAN" }, { 121, "EREMOTEIO" },
	{ 122, "EDQUOT" }, { 123, "ENOMEDIUM" }, { 124, "EMEDIUMTYPE" }, { 125, "ECANCELED" }, { 126, "ENOKEY" },
	{ 0, NULL },
};

const char *rtrs_private_errno_name(uint64_t number)
{
	return rtap_name_of(rtrs_private_errno_names, number);
}

static const struct rtap_field rtrs_conn_req_fields[] = {
	ROW("rtrs.conn_req.cma_version", "CMA Version", AT(0, 8), RTAP_HEX),
	ROW("rtrs.conn_req.ip_version", "IP Version", AT(8, 8), RTAP_HEX),
	ROW("rtrs.conn_req.magic", "Magic", RTRS_REQUEST_MAGIC, RTAP_HEX),
	ROW("rtrs.conn_req.version", "Version", RTRS_REQUEST_VERSION, RTAP_HEX),
	ROW("rtrs.conn_req.cid", "Connection of the Path", RTRS_REQUEST_CID, RTAP_DEC),
	ROW("rtrs.conn_req.cid_num", "Connections of the Path", RTRS_REQUEST_CID_NUM, RTAP_DEC),
	ROW("rtrs.conn_req.recon_cnt", "Reconnections", AT(80, 16), RTAP_DEC),
	{ "rtrs.conn_req.sess_uuid", "UUID of the Path", 96, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "rtrs.conn_req.paths_uuid", "UUID of the Session", RTRS_REQUEST_PATHS_AT * 8, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
	ROW("rtrs.conn_req.first_conn", "First Connection", AT(352, 1), RTAP_BOOL),
	ROW("rtrs.conn_req.reserved_bits", "Reserved", AT(353, 7), RTAP_HEX),
	{ "rtrs.conn_req.reserved", "Reserved", 360, 88, RTAP_BYTES, 0, NULL, NULL, NULL },
};

static void summary_rtrs_conn_req(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin;

	if (layer->length < RTRS_PRIVATE_LENGTH)
		return;
	line_text(line, " RTRS");
	begin = line->next;
	line_text(line, " connection");
	line_spare(line, begin, LINE_SPARE_DETAIL);
	line_char(line, ' ');
	line_dec(line, little_bits(layer_bytes(packet, layer), RTRS_REQUEST_CID));
	line_text(line, " of ");
	line_dec(line, little_bits(layer_bytes(packet, layer), RTRS_REQUEST_CID_NUM));
}

const struct protocol rtrs_conn_req_protocol = {
	.table = { "rtrs.conn_req", "RTRS Connection Request", SECTION, RTRS_PRIVATE_LENGTH, FIELDS(rtrs_conn_req_fields) },
	.summary = summary_rtrs_conn_req,
};

#define RESPONSE_ERRNO 32, 16

/* The error number is negative. */
static uint64_t errno_of(const uint8_t *response)
{
	uint64_t number = little_bits(response, RESPONSE_ERRNO);

	return number & 0x8000 ? 0x10000 - number : number;
}

static bool derive_errno(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = errno_of(layer_bytes(packet, layer));
	return true;
}

static const struct rtap_field rtrs_conn_rsp_fields[] = {
	ROW("rtrs.conn_rsp.magic", "Magic", RTRS_RESPONSE_MAGIC, RTAP_HEX),
	ROW("rtrs.conn_rsp.version", "Version", AT(16, 16), RTAP_HEX),
	{ "rtrs.conn_rsp.errno", "Error Number", RESPONSE_ERRNO, RTAP_DEC, RTAP_OWN_BYTES, rtrs_private_errno_names, derive_errno, NULL },
	ROW("rtrs.conn_rsp.queue_depth", "Queue Depth", RTRS_RESPONSE_DEPTH, RTAP_DEC),
	ROW("rtrs.conn_rsp.max_io_size", "Maximum I/O Size", AT(64, 32), RTAP_DEC),
	ROW("rtrs.conn_rsp.max_hdr_size", "Maximum Header Size", AT(96, 32), RTAP_DEC),
	{ "rtrs.conn_rsp.flags", "Flags", 128, 32, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL },
	ROW("rtrs.conn_rsp.flags.need_inval", "Invalidate the Key", AT(128, 1), RTAP_BOOL),
	ROW("rtrs.conn_rsp.flags.new_rkey", "Send a New Key", AT(129, 1), RTAP_BOOL),
	ROW("rtrs.conn_rsp.flags.reserved", "Reserved", AT(130, 30), RTAP_HEX),
	{ "rtrs.conn_rsp.reserved", "Reserved", 160, 288, RTAP_BYTES, 0, NULL, NULL, NULL },
};

static void summary_rtrs_conn_rsp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *response = layer_bytes(packet, layer);
	uint64_t number;
	const char *name;

	if (layer->length < RTRS_PRIVATE_LENGTH)
		return;
	number = errno_of(response);
	line_text(line, " RTRS ");
	if (number) {
		name = rtrs_private_errno_name(number);
		if (name)
			line_text(line, name);
		else
			line_dec(line, number);
		return;
	}
	line_text(line, "queue depth ");
	line_dec(line, little_bits(response, RTRS_RESPONSE_DEPTH));
}

const struct protocol rtrs_conn_rsp_protocol = {
	.table = { "rtrs.conn_rsp", "RTRS Connection Response", SECTION, RTRS_PRIVATE_LENGTH, FIELDS(rtrs_conn_rsp_fields) },
	.summary = summary_rtrs_conn_rsp,
};

static bool is_zero(const uint8_t *bytes, uint32_t length)
{
	uint8_t any = 0;

	for (uint32_t i = 0; i < length; i++)
		any |= bytes[i];
	return !any;
}

bool rtrs_private_recognise(const uint8_t *bytes, uint32_t length, bool port_is_known)
{
	if (length < RTRS_PRIVATE_LENGTH || bytes[0] || bytes[1] || little_bits(bytes, RTRS_REQUEST_MAGIC) != RTRS_MAGIC)
		return false;
	if (port_is_known)
		return true;
	return little_bits(bytes, RTRS_REQUEST_VERSION) >> 8 == VERSION_MAJOR &&
	       little_bits(bytes, RTRS_REQUEST_CID) < little_bits(bytes, RTRS_REQUEST_CID_NUM) && !is_zero(bytes + 12, RTRS_UUID_LENGTH) &&
	       !is_zero(bytes + RTRS_REQUEST_PATHS_AT, RTRS_UUID_LENGTH) && is_zero(bytes + 45, length - 45);
}

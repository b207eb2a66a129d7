/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of NFSv4. RFC 7863 (types); RFC 8275 (mode_umask), RFC 8276 (xattr_support), RFC 9754 (those from 83 on).
 *
 * The values are contiguous and have no lengths of their own: an unknown attribute ends the walk over this block, which has a
 * length, but not the walk over the message.
 */
#include "config.h"

#include "dissect/rpc/nfs4_attributes.h"
#include "dissect/rpc/nfs4_types.h"
#include "dissect/rpc/nfs_handle.h"
#include "dissect/rpc/xdr_walk.h"

#define MASK_WORDS 8 /* kept of a mask: attributes up to 255 */

XDR_TYPE(component, NULL, XDR_OPAQUE(NFS_COMPONENT, 0));
XDR_TYPE(pathname, NULL, XDR_ARRAY(NFS_COMPONENT_COUNT, 0, component));
XDR_TYPE(server, NULL, XDR_OPAQUE(NFS_SERVER, 0));
XDR_TYPE(fs_location, "Location", XDR_ARRAY(XDR_NO_ROW, 0, server), XDR_STRUCT(pathname));
XDR_TYPE(fs_locations, NULL, XDR_STRUCT(pathname), XDR_ARRAY(XDR_NO_ROW, 0, fs_location));
XDR_TYPE(acl, NULL, XDR_ARRAY(NFS_ACES, 0, nfs_ace4));
XDR_TYPE(acl41, NULL, XDR_U32(NFS_ACL_FLAGS), XDR_ARRAY(NFS_ACES, 0, nfs_ace4));

enum { SET_TO_SERVER_TIME4, SET_TO_CLIENT_TIME4 };
static const struct xdr_union settime = { &xdr_void, 1, { { SET_TO_CLIENT_TIME4, &nfs_time4 } } };

XDR_TYPE(change_policy, NULL, XDR_U64(NFS_CHANGE_POLICY_MAJOR), XDR_U64(NFS_CHANGE_POLICY_MINOR));
XDR_TYPE(fs_status, NULL, XDR_BOOL(NFS_FS_ABSENT), XDR_U32(NFS_FS_STATUS_TYPE), XDR_OPAQUE(NFS_FS_SOURCE, 0),
	 XDR_OPAQUE(NFS_FS_CURRENT, 0), XDR_U32(NFS_FS_AGE), XDR_STRUCT(nfs_time4));
XDR_TYPE(layout_type, NULL, XDR_U32(NFS_LAYOUTTYPE));
XDR_TYPE(layout_hint, NULL, XDR_U32(NFS_LAYOUTTYPE), XDR_OPAQUE(NFS_LAYOUT_BODY, 0));
XDR_TYPE(locations_server, NULL, XDR_U32(NFS_FS_CURRENCY), XDR_OPAQUE(NFS_FS_INFO, 0), XDR_OPAQUE(NFS_SERVER, 0));
XDR_TYPE(locations_item, "Location", XDR_ARRAY(XDR_NO_ROW, 0, locations_server), XDR_STRUCT(pathname));
XDR_TYPE(locations_info, NULL, XDR_U32(NFS_FS_FLAGS), XDR_U32(NFS_FS_VALID_FOR), XDR_STRUCT(pathname),
	 XDR_ARRAY(XDR_NO_ROW, 0, locations_item));
XDR_TYPE(threshold, "Threshold", XDR_U32(NFS_LAYOUTTYPE), NFS_BITMAP(NFS_THRESHOLD_MASK), XDR_OPAQUE(NFS_THRESHOLDS, 0));
XDR_TYPE(retention_get, NULL, XDR_U64(NFS_RETENTION_DURATION), XDR_ARRAY(XDR_NO_ROW, 1, nfs_time4));
XDR_TYPE(duration, NULL, XDR_U64(NFS_RETENTION_DURATION));
XDR_TYPE(retention_set, NULL, XDR_BOOL(NFS_RETENTION_ENABLE), XDR_ARRAY(XDR_NO_ROW, 1, duration));
XDR_TYPE(mode_masked, NULL, XDR_U32(NFS_MODE4), XDR_U32(NFS_MODE_MASK));
XDR_TYPE(mode_umask, NULL, XDR_U32(NFS_MODE4), XDR_U32(NFS_UMASK));
XDR_TYPE(sec_label, NULL, XDR_U32(NFS_LABEL_FORMAT), XDR_U32(NFS_LABEL_POLICY), XDR_OPAQUE(NFS_LABEL, 0));
XDR_TYPE(open_arguments, NULL, NFS_BITMAP(XDR_NO_ROW), NFS_BITMAP(XDR_NO_ROW), NFS_BITMAP(XDR_NO_ROW), NFS_BITMAP(XDR_NO_ROW),
	 NFS_BITMAP(XDR_NO_ROW));

/* By the attribute's number. */
static const struct xdr_item attributes[] = {
	[0] = NFS_ATTRIBUTE_MASK, /* supported_attrs */
	[1] = XDR_U32(NFS_FTYPE4),
	[2] = XDR_U32(NFS_FH_EXPIRE),
	[3] = XDR_U64(NFS_CHANGEID4),
	[4] = XDR_U64(NFS_SIZE4),
	[5] = XDR_BOOL(NFS_LINK_SUPPORT),
	[6] = XDR_BOOL(NFS_SYMLINK_SUPPORT),
	[7] = XDR_BOOL(NFS_NAMED_ATTR),
	[8] = XDR_STRUCT(nfs_fsid4),
	[9] = XDR_BOOL(NFS_UNIQUE_HANDLES),
	[10] = XDR_U32(NFS_LEASE_TIME),
	[11] = XDR_U32(NFS_NFSSTAT4), /* rdattr_error */
	[12] = XDR_STRUCT(acl),
	[13] = XDR_U32(NFS_ACLSUPPORT),
	[14] = XDR_BOOL(NFS_ARCHIVE),
	[15] = XDR_BOOL(NFS_CANSETTIME),
	[16] = XDR_BOOL(NFS_CASE_INSENSITIVE),
	[17] = XDR_BOOL(NFS_CASE_PRESERVING),
	[18] = XDR_BOOL(NFS_CHOWN_RESTRICTED),
	[19] = NFS_HANDLE4(0),
	[20] = XDR_U64(NFS_FILEID4),
	[21] = XDR_U64(NFS_FILES_AVAIL),
	[22] = XDR_U64(NFS_FILES_FREE),
	[23] = XDR_U64(NFS_FILES_TOTAL),
	[24] = XDR_STRUCT(fs_locations),
	[25] = XDR_BOOL(NFS_HIDDEN),
	[26] = XDR_BOOL(NFS_HOMOGENEOUS),
	[27] = XDR_U64(NFS_MAXFILESIZE4),
	[28] = XDR_U32(NFS_MAXLINK),
	[29] = XDR_U32(NFS_MAXNAME),
	[30] = XDR_U64(NFS_MAXREAD),
	[31] = XDR_U64(NFS_MAXWRITE),
	[32] = XDR_OPAQUE(NFS_MIMETYPE, 0),
	[33] = XDR_U32(NFS_MODE4),
	[34] = XDR_BOOL(NFS_NO_TRUNC),
	[35] = XDR_U32(NFS_NUMLINKS),
	[36] = XDR_OPAQUE(NFS_OWNER, 0),
	[37] = XDR_OPAQUE(NFS_OWNER_GROUP, 0),
	[38] = XDR_U64(NFS_QUOTA_HARD),
	[39] = XDR_U64(NFS_QUOTA_SOFT),
	[40] = XDR_U64(NFS_QUOTA_USED),
	[41] = XDR_STRUCT(nfs_specdata4),
	[42] = XDR_U64(NFS_SPACE_AVAIL),
	[43] = XDR_U64(NFS_SPACE_FREE),
	[44] = XDR_U64(NFS_SPACE_TOTAL),
	[45] = XDR_U64(NFS_SPACE_USED),
	[46] = XDR_BOOL(NFS_SYSTEM),
	[47] = XDR_STRUCT(nfs_time4), /* time_access */
	[48] = XDR_SWITCH(NFS_SET_IT, settime),
	[49] = XDR_STRUCT(nfs_time4), /* time_backup */
	[50] = XDR_STRUCT(nfs_time4), /* time_create */
	[51] = XDR_STRUCT(nfs_time4), /* time_delta */
	[52] = XDR_STRUCT(nfs_time4), /* time_metadata */
	[53] = XDR_STRUCT(nfs_time4), /* time_modify */
	[54] = XDR_SWITCH(NFS_SET_IT, settime),
	[55] = XDR_U64(NFS_MOUNTED_ON),
	[56] = XDR_STRUCT(nfs_time4), /* dir_notif_delay */
	[57] = XDR_STRUCT(nfs_time4), /* dirent_notif_delay */
	[58] = XDR_STRUCT(acl41), /* dacl */
	[59] = XDR_STRUCT(acl41), /* sacl */
	[60] = XDR_STRUCT(change_policy),
	[61] = XDR_STRUCT(fs_status),
	[62] = XDR_ARRAY(XDR_NO_ROW, 0, layout_type),
	[63] = XDR_STRUCT(layout_hint),
	[64] = XDR_ARRAY(XDR_NO_ROW, 0, layout_type),
	[65] = XDR_U32(NFS_LAYOUT_BLKSIZE),
	[66] = XDR_U32(NFS_LAYOUT_ALIGNMENT),
	[67] = XDR_STRUCT(locations_info),
	[68] = XDR_ARRAY(XDR_NO_ROW, 0, threshold),
	[69] = XDR_STRUCT(retention_get),
	[70] = XDR_STRUCT(retention_set),
	[71] = XDR_STRUCT(retention_get), /* event-based */
	[72] = XDR_STRUCT(retention_set),
	[73] = XDR_U64(NFS_RETENTION_HOLD),
	[74] = XDR_STRUCT(mode_masked),
	[75] = NFS_ATTRIBUTE_MASK, /* suppattr_exclcreat */
	[76] = XDR_U32(NFS_CHARSET_CAP),
	[77] = XDR_U32(NFS_CLONE_BLKSIZE),
	[78] = XDR_U64(NFS_SPACE_FREED),
	[79] = XDR_U32(NFS_CHANGE_ATTR_TYPE),
	[80] = XDR_STRUCT(sec_label),
	[81] = XDR_STRUCT(mode_umask),
	[82] = XDR_BOOL(NFS_XATTR_SUPPORT),
	[83] = XDR_BOOL(NFS_OFFLINE),
	[84] = XDR_STRUCT(nfs_time4), /* time_deleg_access */
	[85] = XDR_STRUCT(nfs_time4), /* time_deleg_modify */
	[86] = XDR_STRUCT(open_arguments),
};

#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

/* A mask: its words, their positions, the number stored. Bits beyond MASK_WORDS are not of known attributes. */
struct mask {
	uint32_t words[MASK_WORDS];
	uint64_t offset;
	uint32_t count;
};

static enum result read_mask(struct xdr_walk *walk, struct mask *mask)
{
	uint32_t on_wire, word;
	enum result result = xdr_u32(walk->xdr, &on_wire);

	if (result == OK && on_wire > xdr_left(walk->xdr) / 4)
		return MALFORMED;
	mask->offset = walk->xdr->position;
	mask->count = 0;
	for (uint32_t i = 0; result == OK && i < on_wire; i++) {
		result = xdr_u32(walk->xdr, &word);
		if (result == OK && i < MASK_WORDS)
			mask->words[mask->count++] = word;
	}
	return result;
}

/* A word without a bit set is not reported. */
static void report_word(struct xdr_walk *walk, const struct mask *mask, uint32_t i)
{
	uint64_t offset = mask->offset + (uint64_t)i * 4;

	if (!mask->words[i])
		return;
	xdr_report_at(walk, NFS_ATTR_MASK, mask->words[i], offset, 4);
	xdr_report_at(walk, NFS_ATTR_COUNT, (uint64_t)__builtin_popcount(mask->words[i]), offset, 4);
}

enum result nfs_walk_attribute_mask(struct xdr_walk *walk, const struct xdr_item *item)
{
	struct mask mask;
	enum result result = read_mask(walk, &mask);

	(void)item;
	for (uint32_t i = 0; result == OK && i < mask.count; i++) {
		report_word(walk, &mask, i);
		for (uint32_t bits = mask.words[i]; bits; bits &= bits - 1)
			xdr_report_at(walk, NFS_ATTR, i * 32 + (unsigned)__builtin_ctz(bits), mask.offset + (uint64_t)i * 4, 4);
	}
	return result;
}

static bool is_known(uint32_t number)
{
	return number < ATTRIBUTES && attributes[number].kind != XDR_KIND_END;
}

static enum result one_value(struct xdr_walk *walk, uint32_t number)
{
	struct xdr_item item[2] = { XDR_END, XDR_END };

	xdr_report(walk, NFS_ATTR, number, 0);
	item[0] = attributes[number];
	return xdr_walk_items(walk, item);
}

/* Each word of the mask is reported before the values of its attributes. */
static enum result values(struct xdr_walk *walk, const struct mask *mask)
{
	enum result result = OK;
	bool known = true;

	for (uint32_t i = 0; i < mask->count; i++) {
		report_word(walk, mask, i);
		for (uint32_t bits = mask->words[i]; bits && known && result == OK; bits &= bits - 1) {
			uint32_t number = i * 32 + (unsigned)__builtin_ctz(bits);

			known = is_known(number);
			if (known)
				result = one_value(walk, number);
		}
	}
	return result;
}

enum result nfs_walk_fattr4(struct xdr_walk *walk, const struct xdr_item *item)
{
	struct mask mask;
	uint32_t length;
	uint64_t outer;
	enum result result = read_mask(walk, &mask);

	(void)item;
	if (result == OK)
		result = xdr_u32(walk->xdr, &length);
	if (result == OK && walk->sink->brief && length % 4 == 0 && xdr_pass(walk->xdr, length))
		return OK;
	if (result == OK)
		result = xdr_narrow(walk->xdr, length, &outer);
	if (result == OK)
		result = values(walk, &mask);
	if (result == OK && !walk->sink->stop) {
		xdr_widen(walk->xdr, outer);
		result = xdr_skip(walk->xdr, -length % 4);
	}
	return result;
}

static const struct xdr_item fattr_items[] = { NFS_FATTR4, XDR_END };
const struct xdr_type nfs_fattr4 = { NULL, fattr_items, 0 };

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which request the memory belongs to that a READ or WRITE names: many requests of one connection, of which most are in the tree.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "reassembly/connection_lifecycle.h"
#include "reassembly/state.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"

#define COUNT 90 /* more than are examined at one address, and than are listed */
#define LISTED 16 /* requests that are not in the tree yet */
#define KEY 0x1234
#define ADDRESS UINT64_C(0x7f0000001000)
#define LENGTH 0x100

static struct rtap_tracker *tracker;
static struct connection *connection;
static struct request requests[COUNT];
static unsigned count;

static void begin(void)
{
	cr_assert_eq(rtap_tracker_open(&tracker, &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options) }, NULL), RTAP_STATUS_OK);
	tracker->wants_data = true;
	connection = connection_create(tracker, 1, 0);
	cr_assert_not_null(connection);
	for (int i = 0; i < 2; i++)
		connection->streams[i].connection = connection;
	memset(requests, 0, sizeof requests);
	count = 0;
}

static void finish(void)
{
	while (count--) {
		request_end(tracker, &requests[count]);
		region_free_room(&requests[count]);
	}
	rtap_tracker_close(tracker);
}

/* A request of a that names memory; its number is the order in which it was captured. */
static struct request *add(uint64_t psn, bool is_read, uint32_t key, uint64_t address)
{
	struct request *request = &requests[count++];
	struct region_name name = { .begin = address, .end = address + LENGTH, .key = key, .is_read = is_read };

	request_begin(tracker, request, connection, true);
	request->is_seen = true;
	request->psn = psn;
	cr_assert(region_create_all(tracker, request, &name, 1));
	region_open_all(tracker, request);
	return request;
}

/* The request whose memory the WRITE or READ of b is in; NULL: none. */
static struct request *find(bool is_read, uint32_t key, uint64_t address)
{
	struct message message = {
		.connection = connection, .stream = &connection->streams[0], .low = 5,
		.shown = { .verb = is_read ? RTAP_VERB_READ : RTAP_VERB_WRITE, .has_key = true, .r_key = key, .virtual_address = address, .length = 16 },
	};
	struct region *region = region_find(tracker, &message);

	return region ? region->request : NULL;
}

TestSuite(region, .init = begin, .fini = finish, .timeout = HANG_SECONDS);

Test(region, memory_is_found_at_each_address_of_a_region_and_at_no_other)
{
	/* neither up nor down */
	for (unsigned i = 0; i < COUNT; i++)
		add(i + 1, false, KEY, ADDRESS + (uint64_t)(i * 37 % COUNT) * 2 * LENGTH);
	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t address = ADDRESS + (uint64_t)(i * 37 % COUNT) * 2 * LENGTH;

		cr_expect_eq(find(false, KEY, address), &requests[i], "first byte of %u", i);
		cr_expect_eq(find(false, KEY, address + LENGTH - 16), &requests[i], "last bytes of %u", i);
		cr_expect_null(find(false, KEY, address + LENGTH), "after %u", i);
		cr_expect_null(find(false, KEY, address - 1), "before %u", i);
	}
}

Test(region, the_same_address_is_other_memory_with_another_key_and_for_reads)
{
	for (unsigned i = 0; i < COUNT; i++)
		add(i + 1, i % 2, KEY + i / 2, ADDRESS);
	for (unsigned i = 0; i < COUNT; i++)
		cr_expect_eq(find(i % 2, KEY + i / 2, ADDRESS + 1), &requests[i], "%u", i);
	cr_expect_null(find(false, KEY + COUNT, ADDRESS));
}

/* Of more requests than are examined, the first ones sent are. */
Test(region, of_many_requests_with_the_same_memory_it_is_the_oldest_in_whatever_order_they_were_captured)
{
	for (unsigned i = 0; i < COUNT; i++)
		add(1 + i * 37 % COUNT, false, KEY, ADDRESS);
	cr_expect_eq(find(false, KEY, ADDRESS), &requests[0], "PSN 1");
	/* and when that one is gone, of PSN 2 */
	request_end(tracker, &requests[0]);
	for (unsigned i = 1; i < COUNT; i++)
		if (requests[i].psn == 2)
			cr_expect_eq(find(false, KEY, ADDRESS), &requests[i]);
	request_begin(tracker, &requests[0], connection, true);
}

/* A SEND that was taken for another request when it was repeated. All are in the tree, into which they came newest first. */
Test(region, of_requests_with_one_psn_it_is_the_one_captured_last)
{
	for (unsigned i = 0; i <= LISTED; i++)
		add(7, false, KEY, ADDRESS);
	cr_assert_not_null(connection->requests.tree.root);
	cr_assert(LIST_EMPTY(&connection->requests.listed[false]));
	cr_expect_eq(find(false, KEY, ADDRESS), &requests[LISTED]);
}

Test(region, a_request_that_ended_has_no_memory_and_the_others_keep_theirs)
{
	for (unsigned i = 0; i < COUNT; i++)
		add(i + 1, false, KEY, ADDRESS + (uint64_t)(i * 37 % COUNT) * LENGTH);
	for (unsigned i = 0; i < COUNT; i += 2)
		request_end(tracker, &requests[i]);
	for (unsigned i = 0; i < COUNT; i++)
		cr_expect_eq(find(false, KEY, ADDRESS + (uint64_t)(i * 37 % COUNT) * LENGTH), i % 2 ? &requests[i] : NULL, "%u", i);
	for (unsigned i = 0; i < COUNT; i += 2)
		request_begin(tracker, &requests[i], connection, true);
}

Test(region, a_read_of_completely_read_memory_belongs_to_the_next_request)
{
	struct request *first = add(1, true, KEY, ADDRESS), *second = add(2, true, KEY, ADDRESS);

	cr_expect_eq(find(true, KEY, ADDRESS), first);
	first->regions[0].asked = LENGTH - 1;
	cr_expect_eq(find(true, KEY, ADDRESS), first);
	first->regions[0].asked = LENGTH;
	cr_expect_eq(find(true, KEY, ADDRESS), second);
}

Test(region, packets_after_the_response_do_not_belong_to_its_request)
{
	struct request *first = add(1, false, KEY, ADDRESS), *second = add(2, false, KEY, ADDRESS);

	first->response_psn = 6; /* the WRITE has 5 */
	region_set_answered(first);
	cr_expect_eq(find(false, KEY, ADDRESS), first);
	region_close_all(tracker, first);
	first->response_psn = 5; /* it is the response: it has immediate data */
	region_open_all(tracker, first);
	cr_expect_eq(find(false, KEY, ADDRESS), first);
	region_close_all(tracker, first);
	first->response_psn = 4;
	region_open_all(tracker, first);
	cr_expect_eq(find(false, KEY, ADDRESS), second);
}

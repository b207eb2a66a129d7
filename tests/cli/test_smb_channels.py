# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""SMB compounds: interim responses, and the order of their commands."""
import struct

import smb
from smb_session import END
from test_smb import Smb



class Compounds(Smb):
    def begin(self):
        self.last, self.talk, self.client = self.scene(port=smb.PORT)
        self.put(self.client.set_up())

    def put(self, sends):
        smb.put_all(self.last, self.talk, sends)

    def request(self, *units):
        """units: (command, body); returns their numbers."""
        numbers = [self.client.next_number() for _ in units]
        rows = [((command, number, smb.RELATED if i else 0), {}) for i, ((command, _), number) in enumerate(zip(units, numbers))]
        self.put(self.client.send("a", b"".join(smb.compound(*[(row, body) for row, (_, body) in zip(rows, units)]))))
        return numbers

    def response(self, *units):
        """units: (command, number, body, status, more of the header)."""
        rows = [((command, number, smb.RESPONSE | (smb.RELATED if i else 0), status), more)
                for i, (command, number, _, status, more) in enumerate(units)]
        self.put(self.client.send("b", b"".join(smb.compound(*[(row, unit[2]) for row, unit in zip(rows, units)]))))

    def found(self):
        path = self.capture(self.last)
        return [(o["name"], o.get("status"), o["complete"]) for o in self.operations(path)][4:], self.operations(path)[4:]

    def test_an_interim_response_after_the_response_of_an_earlier_command(self):
        """[MS-SMB2] 3.3.4.2: STATUS_PENDING is not the result of the command, in one message with CREATE's response or alone."""
        for is_one in (True, False):
            self.begin()
            create, notify = self.request((smb.CREATE, smb.create("d", 1)), (smb.CHANGE_NOTIFY, struct.pack("<HHI", 32, 0, 1000) + smb.SAME + bytes(8)))
            answers = [(smb.CREATE, create, smb.created(b"a directory's id", 0, 1, 0x10), 0, {}),
                       (smb.CHANGE_NOTIFY, notify, smb.error(), smb.PENDING, {"aside": 9})]
            for part in [answers] if is_one else [answers[:1], answers[1:]]:
                self.response(*part)
            waiting, rows = self.found()
            self.assertEqual(waiting, [("CREATE", "STATUS_SUCCESS", True), ("CHANGE_NOTIFY", None, False)])
            self.assertTrue("latency" in rows[0] and "latency" not in rows[1])
            frame = rows[0]["response_frame"]
            self.assertEqual(rows[1]["pending_frame"], frame + 2 * (not is_one))
            self.last.pause(0.5)
            self.response((smb.CHANGE_NOTIFY, notify, smb.output(bytes(12)), 0, {"aside": 9}))
            ended, rows = self.found()
            self.assertEqual(ended, [("CREATE", "STATUS_SUCCESS", True), ("CHANGE_NOTIFY", "STATUS_SUCCESS", True)])
            self.assertEqual((rows[0]["response_frame"], rows[1]["response_frame"] > frame), (frame, True))
            self.assertEqual([float(row["latency"]) > 0.5 for row in rows], [False, True])

    def test_commands_of_a_compound_change_a_file_one_after_the_other(self):
        """WRITE then SET_INFO of the end, and the other way round: [MS-SMB2] 3.3.5.2.7.2."""
        write, cut = (smb.WRITE, smb.write(smb.SAME, 0, b"1" * 300)), (smb.SET_INFO, smb.set_info(smb.SAME, END, struct.pack("<Q", 100)))
        for middle, wanted in (((write, cut), b"1" * 100), ((cut, write), b"1" * 300), ((write, cut, write), b"1" * 300)):
            self.begin()
            units = ((smb.CREATE, smb.create("f", 5)), *middle, (smb.CLOSE, smb.of_file(smb.SAME)))
            bodies = {smb.CREATE: smb.created(b"the id of a file"), smb.WRITE: smb.written(300), smb.SET_INFO: struct.pack("<H", 2), smb.CLOSE: smb.closed()}
            self.response(*((code, number, bodies[code], 0, {}) for (code, _), number in zip(units, self.request(*units))))
            self.assertEqual(self.files(self.capture(self.last)), ({"srv/share/f": wanted}, []))


if __name__ == "__main__":
    import unittest
    unittest.main()

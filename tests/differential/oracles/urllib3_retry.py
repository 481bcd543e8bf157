"""urllib3: waits after a number of errors in a row, and readings of Retry-After."""

import time
from email.utils import formatdate

from urllib3.exceptions import InvalidHeader
from urllib3.util.retry import RequestHistory, Retry

from lines import delay, ms, none, put, trace

NOON = 1_768_478_400  # 2026-01-15T12:00:00Z


def waits():
    for factor, cap in [(0.1, 120), (0.5, 10), (1, 120), (2, 2), (0.25, 21_600), (0, 120)]:
        for errors in [*range(1, 20), 40, 70, 1000]:
            history = tuple(RequestHistory("GET", "/", None, 503, None) for _ in range(errors))
            retry = Retry(backoff_factor=factor, backoff_max=cap, history=history)
            policy = none(factor, cap, firstRetryImmediate=True)
            name = f"urllib3-wait-{factor}-{cap}-{errors}"
            trace(name, policy, [delay(errors, ms(retry.get_backoff_time()))])


def readings():
    date = lambda seconds: formatdate(NOON + seconds, usegmt=True)
    values = {
        "zero": "0", "one": "1", "seconds": "120", "leading-zeros": "007", "blanks": "  12 ",
        "tab": "12\t", "year": "2026", "long": "21600", "too-long": "21601", "epoch": "1768478460",
        "twenty-nines": "9" * 20, "decimal": "1.5", "negative": "-5", "plus": "+5", "hex": "0x10",
        "exponent": "1e3", "words": "soon", "empty": "", "unit": "120s", "list": "120, 60",
        "date": date(120), "date-now": date(0), "date-past": date(-3600), "date-far": date(86_400),
        "date-rfc850": "Thursday, 15-Jan-26 12:02:00 GMT",
        "date-asctime": "Thu Jan 15 12:02:00 2026",
        "date-wrong-weekday": "Mon, 15 Jan 2026 12:02:00 GMT",
        "date-offset": "Thu, 15 Jan 2026 13:02:00 +0100",
        "date-no-zone": "Thu, 15 Jan 2026 12:02:00",
        "date-no-weekday": "15 Jan 2026 12:02:00 GMT",
        "date-no-seconds": "Thu, 15 Jan 2026 12:02 GMT",
        "date-lower-case": "thu, 15 jan 2026 12:02:00 gmt",
        "date-bad-month": "Thu, 15 Foo 2026 12:02:00 GMT",
        "date-bad-day": "Thu, 32 Jan 2026 12:02:00 GMT",
        "date-bad-hour": "Thu, 15 Jan 2026 25:02:00 GMT",
        "date-rfc3339": "2026-01-15T12:02:00Z",
    }
    time.time = lambda: NOON
    for name, value in values.items():
        try:
            expected = ms(Retry().parse_retry_after(value))
        except (InvalidHeader, ValueError, OverflowError):
            expected = None
        put({
            "id": f"urllib3-retry-after-{name}",
            "area": "retry-after",
            "input": {"status": 429, "headers": [["retry-after", value]]},
            "now": "2026-01-15T12:00:00Z",
            "expect": {"delay_ms": expected},
        })


waits()
readings()

"""Signals at the edges of a rule, and the rows of its tables that no other file has.

Worked out from the documents alone: neither the core nor `model.py` is asked.
"""

NOW = "2026-01-15T12:00:00Z"
EPOCH_S = 1768478400
LONGEST = 2**53 - 1
DATE = "Thu, 15 Jan 2026 12:02:00 GMT"
CLASSES = {"S": "success", "T": "transient", "R": "throttled", "P": "permanent", "C": "cancelled"}
DELIVERIES = {"n": "not_processed", "m": "maybe_processed", "p": "processed"}


def signal(name, area, expect, source, now=NOW, **given):
    return {"id": f"edge-{name}", "area": area, "input": given, "now": now, "expect": expect, "source": source}


def means(letters, **more):
    """`Tm` is transient and maybe processed."""
    return {"class": CLASSES[letters[0]], "delivery": DELIVERIES[letters[1]], **more}


def answer(status, *headers, **rest):
    return {"status": status, "headers": [list(line) for line in headers], **rest}


def hint(name, wait, *headers, status=429, source="order of hints", now=NOW, **rest):
    return signal(name, "ratelimit", {"delay_ms": wait}, source, now, **answer(status, *headers, **rest))


def retry_after():
    def row(name, wait, *values, more=(), now=NOW, source="RFC 9110 section 10.2.3"):
        lines = [("retry-after", value) for value in values]
        return signal(f"ra-{name}", "retry-after", {"delay_ms": wait}, source, now, **answer(503, *lines, *more))

    numbers = [("0", 0), ("000120", 120_000), ("0" * 30 + "5", 5000), ("9007199254741", LONGEST),
               ("9" * 400, LONGEST), ("9007199254740.991", LONGEST), ("9007199254740.990", LONGEST - 1), ("2.0", 2000), ("0.503", 503), ("0.0", 0),
               ("1.0001", 1001), ("1.00100", 1001), ("0.9999", 1000), ("0.0000000001", 1), ("1.0010000000000000000000001", 1002), ("007.5", 7500),
               ("\t120\t", 120_000), (" \t 1.5 ", 1500), ("60, 120", 120_000), ("5, 600, 7", 600_000), ("1.5, 0.5", 1500), ("-5, 30", 30_000),
               ("30, , 20", 30_000), ("30,", 30_000), (", 30", 30_000)]
    for number, (value, wait) in enumerate(numbers):
        yield row(f"number-{number}", wait, value)
    unreadable = [".5", ".", "1.5.0", "-1.5", "+1.5", "0,503", "1.5e3", "1E3", "1.5s", "500ms", "", "   ", "\t\t", "NaN", "inf", "FF", "'5'", "1_0",
                  "１２０", "१२०", "1٢0", "۱۲۰", "P1D", "PT1M30S", "5/10", "5%", "5;", "[5]", "%20120", "−5", "1·5", ",,,", "Thu", "12:02:00",
                  "Thu, 15 Jan 2026 12:02:00 CET", "Thu, 15 Jan 2026 12:02:00 GMT+01:00", "Thu, 15 January 2026 12:02:00 GMT",
                  "Xyz, 15 Jan 2026 12:02:00 GMT", "Thu, 15 Jan 2026 12:01:61 GMT", "Thu, 15 Jan 2026 11:60:00 GMT", "Thu, 00 Jan 2026 12:02:00 GMT",
                  "Fri, 31 Apr 2026 12:02:00 GMT", "Mon, 29 Feb 2100 12:02:00 GMT", "2026-01-15T12:02:00", "2026-01-15 12:02:00", "15.01.2026 12:02:00",
                  "Jan 15 2026 12:02:00 GMT", "Thu, 15 Jan 2026 12:02:00 GMT foo", "Thu, 15 Jan 126 12:02:00 GMT", "Thu, 15 Jan 02026 12:02:00 GMT",
                  "Thu, 15 Jan 2026 12:02:000 GMT", "Thu Jan 15 12:01:61 2026", "Mon Feb 30 12:02:00 2026", "Sunday, 29-Feb-26 12:02:00 GMT",
                  "Thu, +15 Jan 2026 12:02:00 GMT", "Thu, 15 01 2026 12:02:00 GMT", '"' + DATE + '"', "Thu, ١٥ Jan 2026 12:02:00 GMT",
                  "2026-01-15T24:00:00Z", "2026-02-30T12:00:00Z", "2026-13-01T00:00:00Z", "Thu, 15 Jan 2026 12:02:00 +9"]
    for number, value in enumerate(unreadable):
        yield row(f"unreadable-{number}", None, value)
    in_two_minutes = ["Thu Jan 15 12:02:00 2026", "Mon, 15 Jan 2026 12:02:00 GMT", "Monday, 15-Jan-26 12:02:00 GMT", "Mon Jan 15 12:02:00 2026",
                      "15 Jan 2026 12:02:00 GMT", "Thu 15 Jan 2026 12:02:00 GMT", "Thu, 15 Jan 2026 12:02:00", "Thu, 15 Jan 2026 12:02:00 UT",
                      "Thu, 15 Jan 2026 12:02 GMT", "Thu, 15 Jan 2026 13:02:00 +0100", "Thu, 15 Jan 2026 06:32:00 -0530", "Fri, 16 Jan 2026 02:02:00 +1400",
                      "THU JAN 15 12:02:00 2026", "thursday, 15-jan-26 12:02:00 gmt", "Thu,\t15 Jan 2026 12:02:00 GMT", "Thu, 15 Jan 2026 12:01:60 GMT",
                      "Thu Jan 15 12:01:60 2026", "Thursday, 15-Jan-26 12:01:60 GMT", "15 jan 2026 12:02", "2026-01-15t12:02:00z",
                      "2026-01-15T13:02:00+01:00", "2026-01-15T06:32:00-05:30", "2026-01-15T12:02:00.000000000Z", "2026-01-15T12:02:00-00:00"]
    for number, value in enumerate(in_two_minutes):
        yield row(f"date-{number}", 120_000, value)
    yield row("end-of-a-leap-second-year", 30_283_200_000, "Thu, 31 Dec 2026 23:59:60 GMT")
    yield row("day-of-one-digit", 1_814_520_000, "Thursday, 5-Feb-26 12:02:00 GMT")
    yield row("leap-day-2000", 120_000, "Tue, 29 Feb 2000 12:02:00 GMT", now="2000-02-29T12:00:00Z")
    yield row("year-1", 0, "Mon, 01 Jan 0001 00:00:00 GMT")
    yield row("year-9999", 251_633_822_399_000, "Fri, 31 Dec 9999 23:59:59 GMT")
    yield row("before-1970", 1000, "Wed, 31 Dec 1969 23:59:59 GMT", now="1969-12-31T23:59:58Z")
    yield row("a-millisecond-ahead", 1, "Thu, 15 Jan 2026 12:00:01 GMT", now="2026-01-15T12:00:00.999Z")
    yield row("a-millisecond-over", 0, "Thu, 15 Jan 2026 12:00:00 GMT", now="2026-01-15T12:00:00.001Z")
    yield row("iso-rounded-up", 120_001, "2026-01-15T12:02:00.0001Z")
    half = 1_577_836_800_000
    for name, value, wait in [("one-below", "Wednesday, 15-Jan-76 11:59:59 GMT", half - 1000), ("one-above", "Wednesday, 15-Jan-76 12:00:01 GMT", 0),
                              ("spaces-at", "Wed, 15 Jan 76 12:00:00 GMT", half), ("spaces-above", "Wed, 15 Jan 76 12:00:01 GMT", 0),
                              ("this-year", "Thursday, 15-Jan-26 11:59:59 GMT", 0)]:
        yield row(f"fifty-years-{name}", wait, value, source="RFC 9110 section 5.6.7: more than 50 years ahead is past")
    lists = [("number-and-date", 120_000, ["60, " + DATE]), ("two-dates", 300_000, ["Thu, 15 Jan 2026 12:05:00 GMT, " + DATE]),
             ("past-date-and-number", 10_000, ["Wed, 21 Oct 2015 07:28:00 GMT, 10"]), ("number-and-no-date", 60_000, ["60, Jeu, 15 Jan 2026 12:02:00 GMT"]),
             ("no-date-and-number", 60_000, ["Jeu, 15 Jan 2026 12:02:00 GMT, 60"]), ("asctime-and-number", 120_000, ["Thu Jan 15 12:02:00 2026, 60"]),
             ("rfc850-and-number", 120_000, ["Thursday, 15-Jan-26 12:02:00 GMT, 60"]), ("three-lines", 7000, ["5", "7", "6"]),
             ("merged-and-line", 8000, ["5, 8", "6"]), ("date-line-and-number", 300_000, [DATE, "300"]), ("all-unreadable", None, ["x", "-1", ""]),
             ("saturated", LONGEST, ["9" * 20, "5"])]
    for name, wait, values in lists:
        yield row(f"list-{name}", wait, *values, source="the longest member that can be read")
    earlier = "Thu, 15 Jan 2026 11:00:00 GMT"
    skews = [("client-ahead", "Thu, 15 Jan 2026 11:02:00 GMT", [("date", earlier)], 120_000), ("cached", DATE, [("date", earlier), ("age", "60")], 120_000),
             ("unreadable-date", DATE, [("date", "yesterday")], 120_000), ("seconds", "120", [("date", earlier)], 120_000),
             ("iso", "2026-01-15T11:02:00Z", [("date", earlier)], 120_000), ("rfc850-date", DATE, [("date", "Thursday, 15-Jan-26 12:01:00 GMT")], 60_000),
             ("asctime-date", DATE, [("date", "Thu Jan 15 12:01:00 2026")], 60_000), ("date-later", DATE, [("date", "Thu, 15 Jan 2026 13:00:00 GMT")], 0),
             ("epoch", "", [("date", earlier), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", str(EPOCH_S - 3600 + 20))], 20_000),
             ("epoch-cached", "", [("date", earlier), ("age", "5"), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", str(EPOCH_S - 3600 + 20))], 0),
             ("delta", "", [("date", earlier), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "45")], 45_000)]
    for name, value, more, wait in skews:
        yield row(f"skew-{name}", wait, value, more=more, source="absolute times are measured from Date, where there is no Age")


def headers():
    """One header before another, and what each may hold."""
    ms, x_ms, amz, vendor = "retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after", "x-ratelimit-retry-after"
    quota, bucket = ("ratelimit", '"d";r=0;t=30'), [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "45")]
    ten = {"profile": "hubspot", "body": {"policy": "TEN_SECONDLY_ROLLING"}}
    for number, (value, wait) in enumerate([(" 250 ", 250), ("+5", None), (DATE, None), ("٥", None), ("00050", 50), ("9" * 20, LONGEST),
                                            (str(LONGEST), LONGEST), (str(LONGEST - 1), LONGEST - 1), (str(LONGEST + 1), LONGEST)]):
        yield hint(f"ms-{number}", wait, (ms, value))
    for number, (value, wait) in enumerate([("33.2", 34), ("33.0", 33), ("0.1", 1), ("-1", None), ("0", 0), ("00:00:00.033", None)]):
        yield hint(f"x-ms-{number}", wait, (x_ms, value))
    for number, (value, wait) in enumerate([("0", 0), ("+5", None), (" 5 ", 5), ("9" * 30, LONGEST), ("1e3", None)]):
        yield hint(f"amz-{number}", wait, (amz, value))
    rows = [("ms-negative", 3000, [(ms, "-5"), ("retry-after", "3")]), ("ms-words", 40, [(ms, "soon"), (x_ms, "40")]), ("x-ms-amz", 8, [(amz, "9"), (x_ms, "8")]),
            ("x-ms-seconds", 8, [("retry-after", "1"), (x_ms, "8")]), ("amz-seconds", 8, [("retry-after", "1"), (amz, "8")]),
            ("amz-unreadable", 1000, [(amz, "1.5"), ("retry-after", "1")]), ("names", 250, [("Retry-After-MS", "250"), ("X-Ms-Retry-After-Ms", "1")]),
            ("pushback-elsewhere", 1000, [("grpc-retry-pushback-ms", "250"), ("retry-after", "1")]), ("vendor", 5000, [(vendor, "5")]),
            ("vendor-after-seconds", 1000, [(vendor, "5"), ("retry-after", "1")]), ("vendor-before-quota", 5000, [(vendor, "5"), quota]),
            ("vendor-negative", None, [(vendor, "-5")]), ("quota-before-reset", 30_000, [quota, *bucket]),
            ("quota-unreadable", 45_000, [("ratelimit", '"d";r=0;t=x y'), *bucket]), ("after-before-reset", 3500, [*bucket, ("x-ratelimit-reset-after", "3.5")]),
            ("after-unreadable", 45_000, [*bucket, ("x-ratelimit-reset-after", "x")]), ("other-names", None, [("retry_after", "9"), ("x-retry-after", "9")]),
            ("after-not-exhausted", None, [("x-ratelimit-remaining", "3"), ("x-ratelimit-reset-after", "5")])]
    for name, wait, lines in rows:
        yield hint(f"order-{name}", wait, *lines)
    yield hint("order-vendor-before-fixed", 5000, (vendor, "5"), **ten)
    yield hint("order-seconds-before-fixed", 3000, ("retry-after", "3"), **ten)
    yield hint("order-fixed-before-quota", 10_000, quota, **ten)
    yield hint("order-bucket-before-reset", 5000, ("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "5s"), *bucket, profile="openai")
    yield hint("order-pushback-first", 250, (ms, "1"), ("grpc-status", "14"), ("grpc-retry-pushback-ms", "250"), status=200, profile="grpc")
    google = {"profile": "google", "body": {"code": "RESOURCE_EXHAUSTED", "retry_delay": "26s"}}
    yield hint("order-header-and-body", 30_000, ("retry-after", "30"), **google)
    yield hint("order-body-before-vendor", 26_000, (vendor, "50"), **google)
    yield hint("order-ms-before-body", 5, (ms, "5"), **google)
    for number, (value, wait) in enumerate([("1.000000001s", 1001), ("0.123456789s", 124), ("0.1234567891s", None), ("5", None), ("5ms", None), ("1e1s", None),
                                            ("315576000000s", 315_576_000_000_000), ("+5s", None), ("5S", None), ("005s", 5000)]):
        yield hint(f"protobuf-{number}", wait, profile="google", body={"code": "RESOURCE_EXHAUSTED", "retry_delay": value}, source="protobuf JSON duration")
    for number, (seconds, wait, line) in enumerate([(64.57, 64_570, "1"), (0, 0, ""), (0.0001, 1, ""), (-3, 2000, "2")]):
        yield hint(f"discord-body-{number}", wait, ("retry-after", line), profile="discord", body={"retry_after_s": seconds}, source="longest of header and body")


def quotas():
    """The RateLimit drafts."""
    sf = "draft-ietf-httpapi-ratelimit-headers-11, RFC 9651"
    fields = [('"d";t=30;r=0', 30_000), ('"d";t=30', None), ('"d";r=-1;t=30', None), ('"d";r=0.0;t=30', None), ('"d";r="0";t=30', None), ('"d";r=5;r=0;t=10', 10_000),
              ('"d";r=0;r=5;t=10', None), ('"d";r=0;t', None), ('"d";r=0;t="5"', None), ('"d";r=0;t=999999999999999', LONGEST), ('"d";r=0;t=9007199254741', LONGEST),
              ('"d";r=0;t=007', 7000), ('"d";r=0;t=+7', None), ('"d";r=0000000000000000;t=7', None), ('"d";r=0;t=30,', None), (',"d";r=0;t=30', None),
              ('"a";r=0;t=30,,"b";r=0;t=5', None), ("", None), ('"d";R=0;t=30', None), ('"d";   r=0;  t=30', 30_000), ('"d";r=0 ;t=30', None), ('"d";r =0;t=30', None),
              ('"a";r=5;t=9\t,\t"b";r=0;t=30', 30_000), ('"d";pk=:YWJj:;r=0;t=30', 30_000), ('"d";pk=::;r=0;t=30', 30_000), ('"d";pk=:YW$j:;r=0;t=30', None),
              ('"d";pk=:YWJj;r=0;t=30', None), ('"d";r=0;t=30;pk=:YQ==:, "d";r=0;t=40;pk=:Yg==:', 40_000), ('"d";r=2;t=30;pk=:YQ==:, "d";r=0;t=4;pk=:Yg==:', 4000),
              ('"a\\"b, c;d";r=0;t=30', 30_000), ('"a\\\\";r=0;t=30', 30_000), ('"a\\n";r=0;t=30', None), ('"abc;r=0;t=30', None), ('"";r=0;t=30', 30_000),
              ('"é";r=0;t=30', None), ("5;r=0;t=30", None), ('"d"', None), ('("d");r=0;t=30', None), ('"d";r=0;t=30 x', None), ('"d";r=0;t=30;', None),
              ('"d";r=0;t=30;a="x,;y";b=tok/1:2*;c=?1;d=1.5;e=@1659578233;f=:YQ==:', 30_000), ('"a";r=0;t=30, "b";r=1;t=600, "c";r=0;t=45', 45_000),
              ("reset=50, limit=100, remaining=0", 50_000), ("limit=100;w=60, remaining=0, reset=50;x", 50_000), ("limit=100, reset=50", None),
              ("limit=100, remaining=0, reset=-5", None), ("limit=100, remaining=0, reset=1.5", None), ("limit=100, remaining=0, reset=50,", None),
              ("limit=100, remaining=5, remaining=0, reset=50", 50_000), ("limit=100, remaining=0, reset=0", 0)]
    for number, (value, wait) in enumerate(fields):
        yield hint(f"quota-{number}", wait, ("RateLimit", value), source=sf)
    field = ("RateLimit", '"d";r=0;t=30')
    yield hint("quota-one-line-malformed", None, field, ("RateLimit", '"b";r=0;'), source=sf)
    yield hint("quota-two-lines", 60_000, field, ("RateLimit", '"b";r=0;t=60'), source=sf)
    yield hint("quota-dictionary-lines", 50_000, ("RateLimit", "limit=100, remaining=0"), ("RateLimit", "reset=50"), source=sf)
    yield hint("quota-age-0", 30_000, field, ("age", "0"), source=sf)
    yield hint("quota-age-1", None, field, ("age", "1"), source=sf)
    yield hint("quota-retry-after-0", 0, field, ("retry-after", "0"), source=sf)
    yield hint("quota-date", 30_000, field, ("date", "Thu, 15 Jan 2026 11:00:00 GMT"), source=sf)
    for number, (left, reset, wait) in enumerate([("0", "50", 50_000), ("1", "50", None), ("0", "-5", None), ("0", "soon", None), ("0", "99999999", 99_999_999_000), ("0;w=21600", None, None)]):
        lines = [("RateLimit-Limit", "100"), ("RateLimit-Remaining", left), *([] if reset is None else [("RateLimit-Reset", reset)])]
        yield hint(f"quota-06-{number}", wait, *lines, source="drafts 00 to 06")


def units():
    """Which unit a reset is in: by its size, or as the vendor says."""
    def reset(value, left="0", prefix="x-ratelimit"):
        return (f"{prefix}-remaining", left), (f"{prefix}-reset", value)

    sizes = [("99999999", 99_999_999_000), ("100000000", None), ("999999999", None), ("1000000000", 0), (str(EPOCH_S + 60), 60_000),
             ("99999999999", (99_999_999_999 - EPOCH_S) * 1000), ("100000000000", 0), (f"{EPOCH_S}001", 1), ("99999999999999", 99_999_999_999_999 - EPOCH_S * 1000),
             ("100000000000000", 0), (f"{EPOCH_S}000001", 1), ("99999999999999999", 10**14 - EPOCH_S * 1000), ("100000000000000000", 0),
             (f"{EPOCH_S}000000001", 1), ("0", 0), ("0.5", 500), (f"{EPOCH_S}.25", 250), ("-5", None), (str(EPOCH_S - 1), 0), ("", None), ("9" * 40, LONGEST)]
    for number, (value, wait) in enumerate(sizes):
        yield hint(f"size-{number}", wait, *reset(value), source="bands of magnitude")
    for number, (left, wait) in enumerate([(" 0 ", 45_000), ("00", 45_000), ("0.0", 45_000), ("0.5", None)]):
        yield hint(f"left-{number}", wait, *reset("45", left), source="only what is used up binds")
    vendors = [("github", reset("45"), 0), ("gitlab", reset("45", prefix="ratelimit"), 0), ("x", reset("45", prefix="x-rate-limit"), 0),
               ("okta", (*reset(str(EPOCH_S + 9), prefix="x-rate-limit"), ("date", "Thu, 15 Jan 2026 12:00:04 GMT")), 5000), ("reddit", reset("421.5", "0.0"), 421_500),
               ("reddit", reset("421", "0.5"), None), ("reddit", reset(str(EPOCH_S)), EPOCH_S * 1000), ("sendgrid", reset(str(EPOCH_S + 3)), 3000),
               ("linear", reset(f"{EPOCH_S}000", prefix="x-ratelimit-requests"), 0), ("linear", reset(str(EPOCH_S + 60), prefix="x-ratelimit-requests"), 0),
               ("rocketchat", reset(f"{EPOCH_S + 1}500"), 1500), ("tiendanube", reset(str(EPOCH_S), prefix="x-rate-limit"), EPOCH_S), ("discord", reset(f"{EPOCH_S + 2}.5"), 2500),
               ("discord", (*reset(str(EPOCH_S + 99)), ("x-ratelimit-reset-after", "1.2501")), 1251), ("atlassian", reset("2026-01-15T13:02+01:00"), 120_000),
               ("atlassian", reset("2026-01-15T12:02:00Z"), 120_000), ("anthropic", reset("2026-01-15T12:00:07Z", prefix="anthropic-ratelimit-input-tokens"), 7000),
               ("anthropic", reset("2026-01-15T12:00:07Z", prefix="anthropic-ratelimit-output-tokens"), 7000),
               ("anthropic", reset("2026-01-15T12:00:07Z", "1", "anthropic-ratelimit-tokens"), None),
               ("anthropic", (*reset("later", prefix="anthropic-ratelimit-requests"), *reset("2026-01-15T12:00:07Z", prefix="anthropic-ratelimit-tokens")), 7000)]
    for number, (profile, lines, wait) in enumerate(vendors):
        yield hint(f"unit-{number}-{profile}", wait, *lines, profile=profile, source="unit per vendor")
    durations = [("1h", 3_600_000), ("1.5h", 5_400_000), ("1m30.5s", 90_500), ("100ns", 1), ("1us", 1), ("1d", None), ("1 s", None), ("s", None), ("1S", None),
                 ("1s5", None), (" 1s ", 1000), ("0", 0), ("-1", None), ("", None), ("2562047h", 9_223_369_200_000), ("9" * 20 + "h", LONGEST), ("1ms1ns", 2), ("7.66", 7660)]
    for number, (value, wait) in enumerate(durations):
        lines = ("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", value)
        yield hint(f"duration-{number}", wait, *lines, profile="openai", source="Go durations")


def all_traces():
    yield from retry_after()
    yield from headers()
    yield from quotas()
    yield from units()

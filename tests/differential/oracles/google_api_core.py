"""google-api-core: full jitter over an exponential curve."""

import itertools
import random

from google.api_core.retry import exponential_sleep_generator

from lines import delay, drawn, trace

for initial, cap, factor in [(1, 60, 2), (0.1, 5, 1.3), (0.25, 32, 3), (1, 60, 1)]:
    for u in [0, 0.125, 0.5, 0.9375]:
        random.uniform = lambda low, high, u=u: low + (high - low) * u
        waits = itertools.islice(exponential_sleep_generator(initial, cap, factor), 30)
        for retry, wait in enumerate(waits, 1):
            backoff = {"jitter": "full", "baseMs": int(initial * 1000), "factor": factor}
            policy = {"backoff": {**backoff, "capMs": cap * 1000}}
            name = f"google-{initial}-{cap}-{factor}-{u}-{retry}"
            trace(name, policy, [delay(retry, drawn(wait))], [u])

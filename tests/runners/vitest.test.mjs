import axios from 'axios';
import { retry } from 'retrywise';
import axiosRetry, { attach } from 'retrywise/axios';
import { withRetry } from 'retrywise/fetch';
import * as testing from 'retrywise/testing';
import { expect, test, vi } from 'vitest';
import cases from './cases.cjs';

const timers = {
	fake: () => vi.useFakeTimers(),
	real: () => vi.useRealTimers(),
	advance: (ms) => vi.advanceTimersByTimeAsync(ms),
};

cases({ test, expect, timers, axios, axiosRetry, attach, retry, withRetry, testing });

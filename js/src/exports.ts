/**
 * What the modules export, and where their answers lie. The layout is that of the `retrywise-wasm`
 * crate: `exports`, `scratch`.
 *
 * @module
 */

/** What is read and written of the module's memory: the buffer, another one after it grew. */
export interface Memory {
	readonly buffer: ArrayBuffer;
}

/** What every module exports: its buffers. `u32` results come as signed numbers: `>>> 0` mends them. */
export interface Shared {
	readonly memory: Memory;
	input_reserve(length: number): number;
	input_room(): number;
	output_address(): number;
	text_address(): number;
}

/** What the module exports that decides. */
export interface Exports extends Shared {
	policy_new(length: number): number;
	policy_validate(length: number): number;
	policy_free(policy: number): void;
	table(table: number): number;
	explain(
		reason: number,
		refusal: number,
		attempt: number,
		delay: number,
		hint: number,
		retryIn: number,
		language: number,
	): number;
	policy_max_retries(policy: number): number;
	policy_terms(policy: number): number;
	policy_generates_keys(policy: number): number;
	looks_for(policy: number, profile: number): number;
	looks_from(policy: number, profile: number): number;
	upstream_new(policy: number, seed: number, flags: number): number;
	upstream_free(upstream: number): void;
	upstream_view(upstream: number, now: number): number;
	upstream_isolate(upstream: number): number;
	upstream_reset(upstream: number): number;
	rng_high(upstream: number): number;
	rng_low(upstream: number): number;
	rng_set(upstream: number, high: number, low: number): void;
	error_intern(length: number): number;
	call_begin(
		upstream: number,
		method: number,
		flags: number,
		priority: number,
		now: number,
		wall: number,
		length: number,
	): number;
	call_settle(
		call: number,
		flags: number,
		status: number,
		error: number,
		now: number,
		wall: number,
		duration: number,
		length: number,
	): number;
	call_resume(call: number, now: number): number;
	call_cancel(call: number, now: number): number;
	call_end(call: number, now: number): void;
	call_timeout(call: number, now: number): number;
	call_headers(call: number): number;
	call_key(call: number): number;
	calls(): number;
	classify(
		flags: number,
		status: number,
		error: number,
		wall: number,
		policy: number,
		profile: number,
		length: number,
	): number;
	hint(status: number, wall: number, profile: number, length: number): number;
	delay(
		upstream: number,
		retry: number,
		of: number,
		hint: number,
		previous: number,
		polly: number,
	): number;
	header_id(length: number): number;
	profile_find(length: number): number;
	method_facts(method: number): number;
}

/** Places in the output buffer. */
export const slot = {
	delay: 0,
	hint: 1,
	attempt: 2,
	reason: 3,
	retryIn: 4,
	transition: 5,
	previous: 6,
	polly: 7,
	balance: 8,
	sustained: 9,
} as const;

/** How many there are. */
export const OUTPUT_SLOTS = 10;

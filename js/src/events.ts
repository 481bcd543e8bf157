/**
 * What is told of every decision: to the upstream's own listener, and on Node to the channels of
 * `node:diagnostics_channel` that carry the events' names (`retrywise:verdict` …). Without a
 * listener and without subscribers no event is made.
 *
 * @module
 */

import type { BreakerTransition, Reason, Verdict } from './types.ts';

/** What every event says. */
interface About {
	/** The upstream's name. */
	readonly upstream: string;
	/** Tells the events of one call from those of others; null where no call was begun. */
	readonly call: number | null;
	/** The request's method. */
	readonly method: string;
	/** Which attempt it is about, from 1. */
	readonly attempt: number;
}

/** An attempt may be sent now. */
export interface AttemptEvent extends About {
	readonly type: 'attempt';
}

/** An attempt ended, or the call was cancelled, and this was decided. */
export interface VerdictEvent extends About {
	readonly type: 'verdict';
	readonly verdict: Verdict;
	/** The status of the answer, if the outcome said one. */
	readonly status: number | undefined;
	/** What was thrown, if anything. */
	readonly error: unknown;
	/** How long the attempt took, ms. */
	readonly durationMs: number;
}

/** A call, or its next attempt, must not be sent now. */
export interface RefusalEvent extends About {
	readonly type: 'refusal';
	readonly reason: Reason;
	/** When asking again makes sense, ms; null when time alone changes nothing. */
	readonly retryInMs: number | null;
	/** Whether the call is over; one that waits for the rate limit asks again. */
	readonly over: boolean;
}

/** The breaker of an upstream changed. */
export interface BreakerEvent extends About, BreakerTransition {
	readonly type: 'breaker';
}

/** What was decided. New types may come, so keep a default branch. */
export type RetrywiseEvent = AttemptEvent | VerdictEvent | RefusalEvent | BreakerEvent;

/** Hears of every decision of an upstream, as it falls. What it throws is ignored. */
export type EventListener = (event: RetrywiseEvent) => void;

/** A channel of `node:diagnostics_channel`, as far as it is used. */
interface Channel {
	readonly hasSubscribers: boolean;
	publish(message: unknown): void;
}

type Channels = Readonly<Record<RetrywiseEvent['type'], Channel>>;

/** Undefined until they are looked for. */
let channels: Channels | null | undefined;

/** Whether anybody would hear of an event of this type. */
export function isHeard(
	listener: EventListener | undefined,
	type: RetrywiseEvent['type'],
): boolean {
	if (channels === undefined) {
		channels = findChannels();
	}
	return listener !== undefined || channelOf(type)?.hasSubscribers === true;
}

/** Tells of an event. Who only listens must not change what happens. */
export function tell(listener: EventListener | undefined, event: RetrywiseEvent): void {
	try {
		listener?.(event);
	} catch {
		// Told in the listener's documentation.
	}
	const channel = channelOf(event.type);
	if (channel?.hasSubscribers) {
		channel.publish(event);
	}
}

/** By its name as it stands here: a property whose name varies is looked up, once per decision. */
function channelOf(type: RetrywiseEvent['type']): Channel | undefined {
	switch (type) {
		case 'attempt':
			return channels?.attempt;
		case 'verdict':
			return channels?.verdict;
		case 'refusal':
			return channels?.refusal;
		case 'breaker':
			return channels?.breaker;
	}
}

/** Nothing where the host has no such channels. Looked for at the first decision, not at import. */
function findChannels(): Channels | null {
	const host = (globalThis as { process?: { getBuiltinModule?(name: string): unknown } }).process;
	try {
		const found = host?.getBuiltinModule?.('node:diagnostics_channel') as
			| { channel(name: string): Channel }
			| undefined;
		if (found === undefined) {
			return null;
		}
		return {
			attempt: found.channel('retrywise:attempt'),
			verdict: found.channel('retrywise:verdict'),
			refusal: found.channel('retrywise:refusal'),
			breaker: found.channel('retrywise:breaker'),
		};
	} catch {
		return null;
	}
}

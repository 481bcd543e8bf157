/**
 * What a thrown error says about an attempt.
 *
 * @module
 */

import type { HeadersLike, Outcome } from './types.ts';
import { property } from './values.ts';

/**
 * The outcome that an error stands for. The first that applies:
 *
 * | the error has | it is |
 * |---|---|
 * | `response.status` (axios, ky, most clients) | that answer, with its headers and its body |
 * | `response.statusCode` (got, request) | that answer, the same |
 * | `status`, `statusCode` (SDKs, http-errors), 400 to 599 | that answer, with `headers` |
 * | `$metadata.httpStatusCode` (AWS SDK) | that answer, with the headers of `$response` |
 * | anything else | a fault of transport, by its `code`, `name`, `message`, `syscall`, `cause` |
 */
export function outcomeOf(error: unknown): Outcome {
	const response = property(error, 'response');
	if (typeof property(response, 'status') === 'number') {
		return { error };
	}
	const answered = property(response, 'statusCode');
	if (typeof answered === 'number') {
		return {
			status: answered,
			headers: headersOf(response),
			body: property(response, 'body'),
			error,
		};
	}
	const given = [property(error, 'status'), property(error, 'statusCode')].find(isFailure);
	if (given !== undefined) {
		return { status: given, headers: headersOf(error), body: property(error, 'body'), error };
	}
	const aws = property(property(error, '$metadata'), 'httpStatusCode');
	if (isFailure(aws)) {
		const code = property(error, 'name');
		return {
			status: aws,
			headers: headersOf(property(error, '$response')),
			...(typeof code === 'string' && { codes: { code } }),
			error,
		};
	}
	return { error };
}

function headersOf(value: unknown): HeadersLike | undefined {
	return property(value, 'headers') as HeadersLike | undefined;
}

/** Any other number under that name is none of HTTP. */
function isFailure(status: unknown): status is number {
	return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599;
}

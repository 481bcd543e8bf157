/**
 * What `--help` says of scripts and scenarios.
 *
 * @module
 */

/** Of `serve`. */
export const FAULTS: string = `
A script: steps between commas, each a status or a fault, with settings behind semicolons (delay in
milliseconds, anything else is a header); the last step stays. Or a JSON file: such a text, a list
of steps, or { "default", "routes", "keys" }.

Faults: hang, hang-after, reset, reset-after, truncate, misframe, bad-chunk (HTTP/1.1), refused-stream,
goaway, goaway-after (HTTP/2). "after" means that the request was processed.
`;

/** Of `check`. */
export const CHECK: string = `
The program finds the address in RETRYWISE_URL, the scenario's policy in RETRYWISE_POLICY, and {url}
in its arguments replaced. It succeeds with exit code 0. What it prints goes to standard error.

A scenario: { "name", "script", "policy", "server": { "keyHeader", "honoursKeys", "protocol" },
"expect": { "succeeds", "attempts", "resources", "status", "sameKey", "headers", "withinEnvelope" },
"timeoutMs", "toleranceMs" }. Only "script" is needed.
`;

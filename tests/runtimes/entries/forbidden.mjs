// A page whose policy forbids to compile: importing must not mind, the first use must say the way out.

import { createUpstream, isLoadError } from 'retrywise';

window.found = Promise.resolve().then(() => {
	try {
		createUpstream();
		return { thrown: null };
	} catch (error) {
		return { thrown: error.message, isLoadError: isLoadError(error), cause: String(error.cause) };
	}
});

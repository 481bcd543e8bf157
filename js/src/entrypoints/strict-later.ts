/**
 * Where the module lies inside the code: strict mode is fetched when it is asked for, so that the
 * drop-in alone brings no WebAssembly into a bundle.
 */
import type { AxiosInstance, AxiosStatic } from 'axios';
import type { IAxiosRetryReturn } from '../axios/compat/types.ts';
import { place } from '../axios/place.ts';
import type { StrictOptions } from '../axios/strict.ts';

/** Puts strict mode in place; a policy that is none is told by every request. */
export function strict(
	instance: AxiosInstance | AxiosStatic,
	options: StrictOptions,
): IAxiosRetryReturn {
	const attached = import('../axios/strict.ts').then((mode) => mode.attachedOf(instance, options));
	// Each request awaits it and rejects with its error.
	attached.catch(() => {});
	const { requestInterceptorId, responseInterceptorId } = place(instance, attached, () => {
		attached.then((attached) => attached.detach()).catch(() => {});
	});
	return { requestInterceptorId, responseInterceptorId };
}

// Adds the token and the origin to each request of the conformance suite, which has no option for headers. A header that the
// suite sets itself stays as it is.

import http from 'node:http';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';

const added = { authorization: `Bearer ${process.env.SIGNUP_TOKEN}`, origin: process.env.SIGNUP_URL };

function complete(headers = {}) {
  const present = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const missing = Object.entries(added).filter(([name]) => !present.has(name));
  return { ...headers, ...Object.fromEntries(missing) };
}

// fetch() sends through the dispatcher. Some scenarios use http.request().
const dispatcher = getGlobalDispatcher().compose(
  (dispatch) => (options, handler) => dispatch({ ...options, headers: complete(options.headers) }, handler),
);
setGlobalDispatcher(dispatcher);
const { request } = http;
http.request = (options, ...rest) => request({ ...options, headers: complete(options.headers) }, ...rest);

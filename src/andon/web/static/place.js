// Where in a page somebody was going: the browser tells no server, and a page that leads on loses it.
"use strict";
const going = document.documentElement.dataset.place;
if (location.hash && going) try { localStorage["andon-place"] = JSON.stringify({ path: going, hash: location.hash, until: Date.now() + 900000 }); } catch { /* it opens at its top */ }

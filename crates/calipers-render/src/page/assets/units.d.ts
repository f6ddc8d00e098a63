// Types that the scripts of every page share. Not part of the page.

/** A whole number; in data, one of 2^53 or more is text. */
type Integer = number | bigint | string;

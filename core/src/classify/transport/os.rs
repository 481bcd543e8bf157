//! What the operating system says, in the words that every runtime passes on.

use super::{
    fact::Fact,
    message::{Texts, texts},
};

/// Texts of system errors and of name lookup, as Go, Java, Python, Rust, .NET and curl repeat them.
///
/// "No route to host" and "network is unreachable" can surface on an open connection: they prove
/// nothing by themselves. A connection that "timed out" may have been an open one.
pub(super) const TEXTS: Texts = texts![
    (Has("too many open files"), Fact::Starved),
    (Has("cannot assign requested address"), Fact::Starved),
    (Has("address already in use"), Fact::Starved),
    (Has("no buffer space available"), Fact::Starved),
    (Has("connection refused"), Fact::NeverLeft),
    (Has("actively refused"), Fact::NeverLeft),
    (Has("no such host"), Fact::NeverLeft),
    (Has("name or service not known"), Fact::NeverLeft),
    (Has("nodename nor servname provided"), Fact::NeverLeft),
    (Has("failure in name resolution"), Fact::NeverLeft),
    (Has("failed to lookup address"), Fact::NeverLeft),
    (Has("could not resolve"), Fact::NeverLeft),
    (Has("connect timed out"), Fact::NeverLeft),
    (Has("connect timeout"), Fact::NeverLeft),
    (Has("failed to connect to"), Fact::NeverLeft),
    (Starts("could not connect"), Fact::NeverLeft),
    (Starts("unable to connect"), Fact::NeverLeft),
    (Starts("connection timed out after"), Fact::NeverLeft),
    (Starts("resolving timed out after"), Fact::NeverLeft),
    (Starts("ssl connection timeout"), Fact::NeverLeft),
    (Has("connection reset"), Fact::Cut),
    (Has("broken pipe"), Fact::Cut),
    (Has("socket hang up"), Fact::Cut),
    (Has("premature close"), Fact::Cut),
    (Has("no route to host"), Fact::Cut),
    (Has("network is unreachable"), Fact::Cut),
    (Has("ended prematurely"), Fact::Cut),
    (Has("connection was lost"), Fact::Cut),
    (Has("timed out"), Fact::TimedOut),
    (Starts("timeout of "), Fact::TimedOut),
    (Ends("timeout"), Fact::TimedOut),
    (Is("eof"), Fact::Cut),
    (Ends(": eof"), Fact::Cut),
    (Ends("unexpected eof"), Fact::Cut),
];

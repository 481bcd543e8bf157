//! From text to tree. Bounded in depth and width, so that no text makes it slow or exhausts the
//! stack; what is wrong is said with line and column.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{Document, Object, Value};
use crate::text::push_number;

/// How deep objects and lists may lie in one another.
const MAX_DEPTH: usize = 128;

/// The tree of a document.
///
/// # Errors
///
/// What is wrong, with line and column (in bytes, from 1).
pub(crate) fn read(text: &str) -> Result<Document<'_>, String> {
    let mut reader = Reader { text, at: 0, depth: 0, path: String::new(), twice: Vec::new() };
    let root = reader.document().map_err(|what| reader.place(what))?;
    Ok(Document { root, twice: reader.twice })
}

/// What is wrong at the place where the reader stands.
type Fault = &'static str;

const ENDS: Fault = "it ends too early";

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// Where in the tree we are.
    path: String,
    twice: Vec<String>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Value<'a>, Fault> {
        let root = self.value()?;
        match self.peek() {
            None => Ok(root),
            Some(_) => Err("something follows the end"),
        }
    }

    fn value(&mut self) -> Result<Value<'a>, Fault> {
        match self.peek().ok_or(ENDS)? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'"' => Ok(Value::String(self.string()?)),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => Err("a value was expected"),
        }
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<Value<'a>, Fault>,
    ) -> Result<Value<'a>, Fault> {
        if self.depth == MAX_DEPTH {
            return Err("it is too deep");
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.at += 1;
        self.depth -= 1;
        Ok(value)
    }

    /// Up to the closing brace.
    fn object(&mut self) -> Result<Value<'a>, Fault> {
        let mut members: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
        let outside = self.path.len();
        while self.another(b'}', members.is_empty())? {
            if self.byte() != Some(b'"') {
                return Err("a name in double quotes was expected");
            }
            let name = self.string()?;
            if self.peek() != Some(b':') {
                return Err(self.or_ends("a colon was expected"));
            }
            self.at += 1;
            if outside > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            let known = members.iter().position(|(known, _)| *known == name);
            if known.is_some() {
                self.twice.push(self.path.clone());
            }
            let value = self.value()?;
            self.path.truncate(outside);
            if let Some(member) = known.and_then(|at| members.get_mut(at)) {
                member.1 = value;
            } else if members.len() == Object::MAX {
                return Err("an object has too many members");
            } else {
                members.push((name, value));
            }
        }
        Ok(Value::Object(Object(members)))
    }

    /// Up to the closing bracket.
    fn array(&mut self) -> Result<Value<'a>, Fault> {
        let mut items = Vec::new();
        let outside = self.path.len();
        while self.another(b']', items.is_empty())? {
            self.path.push('[');
            push_number(&mut self.path, items.len() as u64);
            self.path.push(']');
            items.push(self.value()?);
            self.path.truncate(outside);
        }
        Ok(Value::Array(items))
    }

    /// Whether something stands before the closing `end`; then we stand on it.
    fn another(&mut self, end: u8, first: bool) -> Result<bool, Fault> {
        let found = self.peek().ok_or(ENDS)?;
        if found == end {
            return Ok(false);
        }
        if first {
            return Ok(true);
        }
        if found != b',' {
            return Err("a comma or the end of the list or object was expected");
        }
        self.at += 1;
        if self.peek().ok_or(ENDS)? == end {
            return Err("a comma stands before the end of the list or object");
        }
        Ok(true)
    }

    /// The text that begins at the quote where we stand.
    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let mut text = Cow::Borrowed("");
        let mut plain = self.at;
        loop {
            let byte = self.byte().ok_or(ENDS)?;
            if byte != b'"' && byte != b'\\' {
                if byte < b' ' {
                    return Err("a control character stands in a text");
                }
                self.at += 1;
                continue;
            }
            let piece = self.text.get(plain..self.at).unwrap_or_default();
            if text.is_empty() {
                text = Cow::Borrowed(piece);
            } else {
                text.to_mut().push_str(piece);
            }
            self.at += 1;
            if byte == b'"' {
                return Ok(text);
            }
            let letter = self.escape()?;
            text.to_mut().push(letter);
            plain = self.at;
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<char, Fault> {
        const FAULT: Fault = "an escape is broken";
        let byte = self.byte().ok_or(ENDS)?;
        let plain = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let mut code = self.unit().ok_or(FAULT)?;
                // The two halves of a character beyond the first 65 536.
                if code & 0xFC00 == 0xD800 && self.byte() == Some(b'\\') {
                    self.at += 1;
                    let low = self.unit().filter(|low| low & 0xFC00 == 0xDC00).ok_or(FAULT)?;
                    code = 0x1_0000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
                }
                return char::from_u32(code).ok_or(FAULT);
            }
            _ => return Err(FAULT),
        };
        self.at += 1;
        Ok(char::from(plain))
    }

    /// `uXXXX`.
    fn unit(&mut self) -> Option<u32> {
        if self.byte()? != b'u' {
            return None;
        }
        let mut code = 0;
        for _ in 0..4 {
            self.at += 1;
            code = code * 16 + char::from(self.byte()?).to_digit(16)?;
        }
        self.at += 1;
        Some(code)
    }

    fn number(&mut self) -> Result<Value<'a>, Fault> {
        let start = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        // A zero stands alone before the point.
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Value::Number(self.text.get(start..self.at).unwrap_or_default()))
    }

    /// One digit at least.
    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.or_ends("a digit was expected")) } else { Ok(()) }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Fault> {
        for byte in word.bytes() {
            if self.byte() != Some(byte) {
                return Err(self.or_ends("a value was expected"));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other,
            }
        }
    }

    fn or_ends(&self, fault: Fault) -> Fault {
        if self.byte().is_none() { ENDS } else { fault }
    }

    /// The fault with its place.
    fn place(&self, fault: Fault) -> String {
        let before = self.text.as_bytes().get(..self.at).unwrap_or_default();
        let lines = before.split(|&byte| byte == b'\n').count();
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        let mut text = String::from(fault);
        text.push_str(" at line ");
        push_number(&mut text, lines as u64);
        text.push_str(" column ");
        push_number(&mut text, (column + usize::from(self.byte().is_some())) as u64);
        text
    }
}

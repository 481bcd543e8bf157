//! What the calls of an instance share: an upstream for each policy and authority, and the
//! settings, read once.

use alloc::{
    collections::BTreeMap,
    format,
    rc::Rc,
    string::{String, ToString},
};
use core::cell::RefCell;

use retrywise::{SharedBudgets, Upstream};

use crate::{bindings::cli::environment, clock, settings::Settings};

/// Upstreams kept at once; the one that was not used for longest goes first, and calls under way
/// keep theirs.
const MOST: usize = 1_000;

/// An upstream, held by its calls.
pub(crate) type Held = Rc<RefCell<Upstream>>;

/// Where a request goes.
pub(crate) struct Target<'a> {
    /// Scheme, host and port.
    pub(crate) origin: &'a str,
    /// The path with its query.
    pub(crate) path: &'a str,
    /// The method's token.
    pub(crate) method: &'a str,
}

/// The upstream of a request, and how much of its body is kept.
///
/// # Errors
/// What is wrong with the settings, as a sentence.
pub(crate) fn of(target: &Target<'_>) -> Result<(Held, usize), String> {
    with(|state| {
        let settings = state
            .settings
            .get_or_insert_with(|| Settings::read(&environment::get_environment()))
            .as_ref()
            .map_err(String::clone)?;
        let (name, policy) = settings.select(target.origin, target.path, target.method);
        // A service is one upstream, whatever name it is called by: names come from its callers.
        let origin = if cfg!(feature = "handler") { "" } else { target.origin };
        let new = || Rc::new(RefCell::new(Upstream::new(policy, clock::seed())));
        Ok((state.kept.get(&format!("{name}\n{origin}"), new), settings.body_bytes))
    })
}

/// Lets an event happen on an upstream, with the budget that its policy names.
pub(crate) fn on<T>(upstream: &Held, event: impl FnOnce(&mut Upstream) -> T) -> T {
    with(|state| state.budgets.with(&mut upstream.borrow_mut(), event))
}

/// By what a call is known that waits for its rate limit.
pub(crate) fn ticket() -> u64 {
    with(|state| {
        state.tickets += 1;
        state.tickets
    })
}

struct State {
    settings: Option<Result<Settings, String>>,
    kept: Kept,
    budgets: SharedBudgets,
    tickets: u64,
}

/// Upstreams by name, and when each was used last.
struct Kept {
    by_name: BTreeMap<String, (Held, u64)>,
    uses: u64,
}

impl Kept {
    fn get(&mut self, name: &str, new: impl FnOnce() -> Held) -> Held {
        self.uses += 1;
        if let Some((held, used)) = self.by_name.get_mut(name) {
            *used = self.uses;
            return held.clone();
        }
        if self.by_name.len() >= MOST {
            let oldest = self.by_name.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.by_name.remove(&oldest);
            }
        }
        let held = new();
        self.by_name.insert(name.to_string(), (held.clone(), self.uses));
        held
    }
}

/// Runs `event` on the state of this instance. Events do not wait and call no events.
fn with<R>(event: impl FnOnce(&mut State) -> R) -> R {
    struct SingleThread(RefCell<State>);

    // SAFETY: a component has one thread: it is built without the `atomics` feature, and nothing in
    // it starts another. Natively nothing comes here.
    #[allow(unsafe_code)]
    unsafe impl Sync for SingleThread {}

    #[cfg(target_feature = "atomics")]
    compile_error!("the state is for one thread: build without the `atomics` target feature");

    static STATE: SingleThread = SingleThread(RefCell::new(State {
        settings: None,
        kept: Kept { by_name: BTreeMap::new(), uses: 0 },
        budgets: SharedBudgets::new(),
        tickets: 0,
    }));

    event(&mut STATE.0.borrow_mut())
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use retrywise::Policy;

    use super::*;

    fn new() -> Held {
        Rc::new(RefCell::new(Upstream::new(Arc::new(Policy::standard()), 1)))
    }

    #[test]
    fn a_name_gets_its_upstream_again_and_the_one_unused_for_longest_goes_first() {
        let mut kept = Kept { by_name: BTreeMap::new(), uses: 0 };
        let first = kept.get("first", new);
        let second = kept.get("second", new);
        for index in 2..MOST {
            let _ = kept.get(&index.to_string(), new);
        }
        assert!(Rc::ptr_eq(&first, &kept.get("first", new)));
        let _ = kept.get("one more", new);
        assert_eq!(kept.by_name.len(), MOST);
        assert!(Rc::ptr_eq(&first, &kept.get("first", new)), "it was used lately");
        assert!(!Rc::ptr_eq(&second, &kept.get("second", new)), "it was not");
    }
}

//! The queue against a list that is searched anew for every pop, and the promise that nobody starves.

use retrywise::{Instant, Millis, Queue};
use retrywise_properties::{Source, histories};

/// A call that waits, as it was pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    id: u64,
    priority: i32,
    due: u64,
    arrival: u64,
}

/// The list, in the order of arrival.
struct Model {
    step: u64,
    capacity: usize,
    waiting: Vec<Entry>,
}

impl Model {
    /// Due, less a step for each priority; of equals the one that came first.
    fn next(&self) -> Option<Entry> {
        let deadline = |entry: &Entry| {
            i128::from(entry.due) - i128::from(entry.priority) * i128::from(self.step)
        };
        self.waiting.iter().copied().min_by_key(|entry| (deadline(entry), entry.arrival))
    }

    fn remove(&mut self, id: u64) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|entry| entry.id != id);
        self.waiting.len() < before
    }
}

/// A priority: most are small, some are the ends of the range.
fn priority(source: &mut Source) -> i32 {
    match source.between(0, 19) {
        0 => i32::MIN,
        1 => i32::MAX,
        _ => source.between(0, 10) as i32 - 5,
    }
}

#[test]
fn it_gives_what_a_search_of_the_whole_list_gives() {
    histories(400, |source| {
        let capacity = source.one_of(&[0, 1, 7, 1_000]);
        let step = source.one_of(&[0, 1, 500, 60_000, Millis::MAX.get()]);
        let mut queue = Queue::new(capacity, Millis::new(step));
        let mut model = Model { step, capacity, waiting: Vec::new() };
        for arrival in 0..400 {
            let now = source.clock(300);
            match source.between(0, 9) {
                0..=4 => {
                    let priority = priority(source);
                    let due = match source.between(0, 5) {
                        0 => Some(Instant::MAX),
                        1 => Some(Instant::ORIGIN),
                        2 => Some(now.after(Millis::new(source.between(0, 90_000)))),
                        _ => None,
                    };
                    // Some ids come twice.
                    let id = source.between(0, 200);
                    let pushed = queue.push(id, priority, due, now);
                    assert_eq!(pushed.is_ok(), model.waiting.len() < model.capacity);
                    if pushed.is_ok() {
                        let due = due.unwrap_or(now).as_millis();
                        model.waiting.push(Entry { id, priority, due, arrival });
                    }
                }
                5..=7 => {
                    let next = model.next();
                    assert_eq!(queue.peek(), next.map(|entry| entry.id), "arrival {arrival}");
                    assert_eq!(queue.pop(), next.map(|entry| entry.id), "arrival {arrival}");
                    model.waiting.retain(|entry| Some(*entry) != next);
                }
                _ => {
                    let id = source.between(0, 200);
                    assert_eq!(queue.remove(id), model.remove(id), "id {id}");
                }
            }
            assert_eq!(queue.len(), model.waiting.len());
            assert_eq!(queue.is_empty(), model.waiting.is_empty());
        }
    });
}

#[test]
fn nobody_is_overtaken_by_what_comes_later_than_its_priority_is_worth() {
    histories(200, |source| {
        let step = source.between(1, 5_000);
        let mut queue = Queue::new(10_000, Millis::new(step));
        let mut pushed: Vec<(i32, u64)> = Vec::new();
        let mut waiting: Vec<usize> = Vec::new();
        let mut now = 0;
        for _ in 0..400 {
            now += source.between(0, 400);
            if source.between(0, 2) > 0 {
                let priority = source.between(0, 9) as i32;
                queue.push(pushed.len() as u64, priority, None, Instant::from_millis(now)).unwrap();
                waiting.push(pushed.len());
                pushed.push((priority, now));
            } else if let Some(id) = queue.pop() {
                let (urgent, came) = pushed[id as usize];
                waiting.retain(|other| *other != id as usize);
                for &other in &waiting {
                    let (patient, since) = pushed[other];
                    let worth = u64::try_from(urgent - patient).unwrap_or(0) * step;
                    assert!(came <= since.saturating_add(worth), "{id} overtook {other}");
                }
            }
        }
    });
}

#[test]
fn within_one_priority_the_earlier_deadline_goes_first() {
    histories(200, |source| {
        let mut queue = Queue::new(1_000, Millis::new(source.between(0, 60_000)));
        let priority = priority(source);
        let mut due: Vec<u64> = Vec::new();
        for id in 0..source.between(1, 100) {
            due.push(source.one_of(&[0, 5, u64::MAX, id * 7 % 50]));
            let at = Some(Instant::from_millis(due[id as usize]));
            queue.push(id, priority, at, source.clock(100)).unwrap();
        }
        let popped: Vec<u64> = core::iter::from_fn(|| queue.pop()).collect();
        let mut expected: Vec<u64> = (0..due.len() as u64).collect();
        expected.sort_by_key(|id| (due[*id as usize], *id));
        assert_eq!(popped, expected);
    });
}

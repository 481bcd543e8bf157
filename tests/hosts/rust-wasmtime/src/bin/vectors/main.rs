//! The `component` binding of the vectors: answers one line of JSON with one line, through the
//! exports of the component. It converts and holds no rule; comparing is the runner's.
//!
//! `retrywise-component-host COMPONENT.wasm`

mod json;
mod ledger;
mod line;

use std::{
    collections::BTreeMap,
    io::{self, BufRead, Write},
    path::PathBuf,
};

use retrywise_host_wasmtime::{Brain, wit};
use serde_json::{Map, Value, json};
use wasmtime::component::ResourceAny;
use wit::{classify::Context, upstream::DelayState};

/// The machines of `tests/vectors/src/op.rs` that cross this boundary.
const MACHINES: [&str; 6] = ["delay", "engine", "ledger", "policy", "queue", "state"];

fn main() -> wasmtime::Result<()> {
    let file = std::env::args_os().nth(1).map(PathBuf::from).unwrap_or_default();
    let mut host = Host { brain: Brain::load(&file)?, world: None };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let answer = host.answer(&question).unwrap_or_else(|no| json!({ "refused": no.0 }));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

struct Host {
    brain: Brain,
    world: Option<World>,
}

/// The trace that is being played.
struct World {
    policy: ResourceAny,
    upstream: ResourceAny,
    calls: BTreeMap<String, ResourceAny>,
    latest: String,
    delays: BTreeMap<String, DelayState>,
    saved: BTreeMap<String, String>,
    records: ledger::Records,
    line: line::Line,
}

impl World {
    /// Drops what the trace held, calls before their upstream.
    fn end(self, brain: &mut Brain) -> wasmtime::Result<()> {
        let last = [self.upstream, self.policy];
        for resource in self.calls.into_values().chain(last) {
            resource.resource_drop(&mut brain.store)?;
        }
        self.line.end(brain)
    }
}

/// The vector asks for something that has no answer, or the component failed.
struct Refused(String);

impl From<wasmtime::Error> for Refused {
    fn from(error: wasmtime::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

type Answer = Result<Value, Refused>;

impl Host {
    fn answer(&mut self, question: &Value) -> Answer {
        match question["op"].as_str() {
            Some("hello") => Ok(json!({ "machines": MACHINES, "views": true, "isolates": true })),
            Some("signal") => {
                let answers = self.signal(&question["input"], question["wall"].as_i64())?;
                Ok(json!({ "answers": answers }))
            }
            Some("open") => self.open(question),
            Some("step") => self.step(question),
            _ => Err(Refused(format!("unknown question {question}"))),
        }
    }

    fn open(&mut self, question: &Value) -> Answer {
        if let Some(world) = self.world.take() {
            world.end(&mut self.brain)?;
        }
        let policy = self.policy(&question["policy"])?;
        let upstream = self.upstream(policy)?;
        let state = question["seed"].as_str().and_then(|seed| seed.parse().ok());
        let state = state.ok_or_else(|| Refused("the seed is no number".into()))?;
        let api = self.brain.exports.retrywise_policy_upstream().upstream();
        api.call_set_random_state(&mut self.brain.store, upstream, state)?;
        self.world = Some(World {
            policy,
            upstream,
            calls: BTreeMap::new(),
            latest: String::new(),
            delays: BTreeMap::new(),
            saved: BTreeMap::new(),
            records: ledger::Records::default(),
            line: line::Line::open(&mut self.brain)?,
        });
        Ok(json!({}))
    }

    /// The policy in a document.
    fn policy(&mut self, document: &Value) -> Result<ResourceAny, Refused> {
        let Brain { store, exports } = &mut self.brain;
        let policies = exports.retrywise_policy_policy().policy();
        policies
            .call_parse(store, &document.to_string())?
            .map_err(|error| Refused(format!("the policy is invalid: {error:?}")))
    }

    /// A new upstream under a policy.
    fn upstream(&mut self, policy: ResourceAny) -> Result<ResourceAny, Refused> {
        let Brain { store, exports } = &mut self.brain;
        Ok(exports.retrywise_policy_upstream().upstream().call_constructor(store, policy, 0)?)
    }

    fn step(&mut self, question: &Value) -> Answer {
        let mut world = self.world.take().ok_or_else(|| Refused("no trace is open".into()))?;
        let played = self.play(&mut world, question);
        self.world = Some(world);
        played
    }

    fn play(&mut self, world: &mut World, question: &Value) -> Answer {
        let (step, now, wall) = (&question["step"], &question["at"], question["wall"].as_i64());
        let now = now.as_u64().ok_or_else(|| Refused("`at` is no time".into()))?;
        let (op, args) = (step["op"].as_str().unwrap_or_default(), &step["args"]);
        if let Some(state) = question["rng"].as_str().and_then(|state| state.parse().ok()) {
            let api = self.brain.exports.retrywise_policy_upstream().upstream();
            api.call_set_random_state(&mut self.brain.store, world.upstream, state)?;
        }
        match op {
            "save" | "load" | "reconfigure" => {
                self.keep(world, op, args, now, wall)?;
                // Its generator is another one: no draw of the trace was spent here.
                return Ok(json!({ "answers": {} }));
            }
            "push" | "pop" => {
                return Ok(json!({ "answers": world.line.play(&mut self.brain, op, args, now)? }));
            }
            _ if ledger::OPS.contains(&op) => {
                let answers = world.records.play(&mut self.brain, world.policy, op, args, now)?;
                return Ok(json!({ "answers": answers }));
            }
            _ => {}
        }
        let Brain { store, exports } = &mut self.brain;
        let (upstreams, calls) = {
            let api = exports.retrywise_policy_upstream();
            (api.upstream(), api.call())
        };
        let answers = match op {
            "policy" => {
                let document = args["document"].to_string();
                let issues =
                    exports.retrywise_policy_policy().call_validate(&mut *store, &document)?;
                let issues: Vec<_> = issues
                    .iter()
                    .map(|issue| json!({ "field": issue.field, "kind": issue.kind.name }))
                    .collect();
                json!({ "valid": issues.is_empty(), "issues": issues })
            }
            "delay" => {
                let retry = args["retry"].as_u64().and_then(|retry| u32::try_from(retry).ok());
                let retry = retry.ok_or_else(|| Refused("`retry` does not fit 32 bits".into()))?;
                let class = json::class(args["class"].as_str().unwrap_or("transient"));
                let hint = args["hintMs"].as_u64();
                let name = args["call"].as_str().unwrap_or_default().to_owned();
                let state = world.delays.get(&name).copied();
                let state = state.unwrap_or(DelayState { previous: None, polly: 0 });
                let wait =
                    upstreams.call_delay(&mut *store, world.upstream, retry, class, hint, state)?;
                let (answers, state) = json::wait(&wait);
                world.delays.insert(name, state);
                answers
            }
            "view" => json::view(&upstreams.call_view(&mut *store, world.upstream, now)?),
            "isolate" => {
                upstreams.call_isolate(&mut *store, world.upstream)?;
                json!({})
            }
            "reset" => {
                upstreams.call_reset(&mut *store, world.upstream)?;
                json!({})
            }
            "begin" => {
                let request = json::request(&args["request"]);
                match upstreams.call_begin(&mut *store, world.upstream, &request, now, wall)? {
                    Ok(call) => {
                        world.latest = args["call"].as_str().unwrap_or_default().to_owned();
                        let before = world.calls.insert(world.latest.clone(), call);
                        if let Some(before) = before {
                            before.resource_drop(&mut *store)?;
                        }
                        json!({ "admitted": true })
                    }
                    Err(error) => json::refused(&error),
                }
            }
            _ => {
                let name = args["call"].as_str().unwrap_or(&world.latest);
                let call = *world
                    .calls
                    .get(name)
                    .ok_or_else(|| Refused(format!("no call `{name}` was admitted")))?;
                match op {
                    "settle" => {
                        let outcome = json::outcome(&args["outcome"]);
                        json::verdict(&calls.call_settle(&mut *store, call, &outcome, now, wall)?)
                    }
                    "resume" => match calls.call_resume(&mut *store, call, now)? {
                        Ok(()) => json!({ "admitted": true, "over": false }),
                        Err(error) => json::not_resumed(&error),
                    },
                    "cancel" => json::verdict(&calls.call_cancel(&mut *store, call, now)?),
                    "end" => {
                        calls.call_end(&mut *store, call, now)?;
                        json!({})
                    }
                    _ => return Err(Refused(format!("this host does not know {op}"))),
                }
            }
        };
        let state = upstreams.call_random_state(&mut *store, world.upstream)?;
        Ok(json!({ "answers": answers, "rng": state.to_string() }))
    }

    /// What goes on in another process, or under another policy.
    fn keep(
        &mut self,
        world: &mut World,
        op: &str,
        args: &Value,
        now: u64,
        wall: Option<i64>,
    ) -> Result<(), Refused> {
        let name = |field: &str| args[field].as_str().unwrap_or_default().to_owned();
        match op {
            "save" => {
                let Brain { store, exports } = &mut self.brain;
                let api = exports.retrywise_policy_upstream().upstream();
                let document = api.call_save(store, world.upstream, now, wall)?;
                world.saved.insert(name("as"), document);
            }
            "load" => {
                let upstream = self.upstream(world.policy)?;
                let before = std::mem::replace(&mut world.upstream, upstream);
                let document = world.saved.get(&name("from"));
                let document = document.ok_or_else(|| Refused("nothing was saved".into()))?;
                let Brain { store, exports } = &mut self.brain;
                let api = exports.retrywise_policy_upstream().upstream();
                api.call_load(&mut *store, upstream, document, now, wall)?
                    .map_err(|error| Refused(format!("the state is invalid: {error:?}")))?;
                before.resource_drop(store)?;
            }
            _ => {
                let policy = self.policy(&args["document"])?;
                let before = std::mem::replace(&mut world.policy, policy);
                let Brain { store, exports } = &mut self.brain;
                let api = exports.retrywise_policy_upstream().upstream();
                api.call_set_policy(&mut *store, world.upstream, policy, now)?;
                before.resource_drop(store)?;
            }
        }
        Ok(())
    }

    /// Every answer that the input has.
    fn signal(&mut self, input: &Value, wall: Option<i64>) -> Result<Map<String, Value>, Refused> {
        let mut answers = Map::new();
        let profile = input["profile"].as_str().map(str::to_owned);
        let key_sent = input["idempotency_key"].as_bool().unwrap_or(false);
        let Brain { store, exports } = &mut self.brain;
        let api = exports.retrywise_policy_classify();
        let method = input["method"].as_str();
        if let Some(token) = method {
            let facts = api.call_method(&mut *store, token)?;
            answers.insert("safe".into(), facts.safe.into());
            answers.insert("idempotent".into(), facts.idempotent.into());
        }
        let has_outcome = !input["status"].is_null() || !input["error"].is_null();
        let outcome = if let Some(class) = input["class"].as_str() {
            answers.insert("class".into(), class.into());
            answers.insert("delivery".into(), input["delivery"].clone());
            json::outcome(&json::stand_in(class, input["delivery"].as_str().unwrap_or_default()))
        } else if has_outcome {
            let outcome = json::outcome(input);
            let context = Context { policy: None, profile: profile.clone(), key_sent, wall };
            let found = api.call_classify(&mut *store, &outcome, &context)?;
            answers.extend(json::classification(&found.classification));
            let hint = found.hint.map_or(Value::Null, |hint| hint.delay.into());
            answers.insert("delay_ms".into(), hint);
            outcome
        } else {
            return Ok(answers);
        };
        if let Some(method) = method {
            let known = exports.retrywise_policy_policy().call_profiles(&mut *store)?;
            let profile = profile.filter(|id| known.contains(id));
            let policy = json!({ "profile": profile, "idempotency": { "honoured": key_sent } });
            answers.insert("retry".into(), self.is_retried(&policy, method, key_sent, &outcome)?);
        }
        Ok(answers)
    }

    /// The decision, attempts and budget aside: what the first settle of a call says.
    fn is_retried(
        &mut self,
        policy: &Value,
        method: &str,
        key_sent: bool,
        outcome: &wit::types::Outcome,
    ) -> Answer {
        let policy = self.policy(policy)?;
        let upstream = self.upstream(policy)?;
        let Brain { store, exports } = &mut self.brain;
        let api = exports.retrywise_policy_upstream();
        let key = key_sent.then_some("key");
        let request = json::request(&json!({ "method": method, "key": key }));
        let begun = api.upstream().call_begin(&mut *store, upstream, &request, 0, None)?;
        let call = begun.map_err(|error| Refused(format!("{error:?}")))?;
        let verdict = api.call().call_settle(&mut *store, call, outcome, 0, None)?;
        for resource in [call, upstream, policy] {
            resource.resource_drop(&mut *store)?;
        }
        Ok(matches!(verdict, wit::upstream::Verdict::Retry(_)).into())
    }
}

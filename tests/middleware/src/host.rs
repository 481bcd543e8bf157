//! A WASI 0.3 host: what a component gets that is run here, and what it asked the host to send.

use core::{future::poll_fn, pin::pin, task::Poll};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, client::conn::http1};
use tokio::net::TcpStream;
use wasmtime::{
    Config, Engine, OptLevel, Result, Store,
    component::{Component, Linker, ResourceTable},
};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::{
    Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView,
    p3::bindings::{Service, http::types::ErrorCode},
};

use crate::io::Io;

/// What the test drives a caller by, made from the guest's own WIT.
mod bindings {
    #![allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
    wasmtime::component::bindgen!({
        path: "guest/wit",
        world: "driver",
        exports: { default: async | store },
    });
}
pub(crate) use bindings::exports::retrywise::guest::calls::{Answer, Call};

/// Compiles and links components.
pub(crate) struct Host {
    engine: Engine,
    linker: Linker<State>,
}

/// How a call ended: the answer, or the error's name.
pub(crate) type Ended = core::result::Result<Answer, String>;

struct State {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    hooks: Hooks,
    table: ResourceTable,
}

/// What the host was asked to send: the first-byte timeout of each request.
type Sent = Arc<Mutex<Vec<Option<Duration>>>>;

struct Hooks {
    sent: Sent,
}

/// One instance of a component, and what it asked the host to send.
pub(crate) struct Instance {
    store: Store<State>,
    sent: Sent,
    component: Component,
    /// The instance itself, once it was called.
    caller: Option<bindings::Driver>,
}

impl Host {
    pub(crate) fn new() -> Result<Self> {
        let mut config = Config::new();
        // Everything here waits for sockets: compile fast rather than well.
        config.wasm_component_model_async(true).cranelift_opt_level(OptLevel::None);
        let engine = Engine::new(&config)?;
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p3::add_to_linker(&mut linker)?;
        wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
        Ok(Self { engine, linker })
    }

    pub(crate) fn compile(&self, component: &[u8]) -> Result<Component> {
        Component::new(&self.engine, component)
    }

    /// The names of what a component imports.
    pub(crate) fn imports(&self, component: &Component) -> Vec<String> {
        let ty = component.component_type();
        ty.imports(&self.engine).map(|(name, _)| name.to_owned()).collect()
    }

    /// A new instance's world, with these environment variables and nothing else of this process.
    pub(crate) fn instance(&self, component: &Component, variables: &[(&str, &str)]) -> Instance {
        let sent = Sent::default();
        let state = State {
            wasi: WasiCtxBuilder::new().envs(variables).build(),
            http: WasiHttpCtx::new(),
            hooks: Hooks { sent: sent.clone() },
            table: ResourceTable::new(),
        };
        let store = Store::new(&self.engine, state);
        Instance { store, sent, component: component.clone(), caller: None }
    }

    /// Lets one instance of a caller send these, all at once.
    pub(crate) async fn send(&self, instance: &mut Instance, calls: &[Call]) -> Result<Vec<Ended>> {
        let Instance { store, component, caller, .. } = instance;
        if caller.is_none() {
            let new = bindings::Driver::instantiate_async(&mut *store, component, &self.linker);
            *caller = Some(new.await?);
        }
        let Some(guest) = caller.as_ref().map(bindings::Driver::retrywise_guest_calls) else {
            return Ok(Vec::new());
        };
        let ended = store
            .run_concurrent(async |store| {
                let mut under_way: Vec<_> = calls
                    .iter()
                    .map(|call| Box::pin(guest.call_send(store, call.clone())))
                    .collect();
                let mut ended: Vec<Option<Result<Ended>>> = calls.iter().map(|_| None).collect();
                poll_fn(|cx| {
                    for (call, end) in under_way.iter_mut().zip(&mut ended) {
                        if end.is_none()
                            && let Poll::Ready(how) = call.as_mut().poll(cx)
                        {
                            *end = Some(how);
                        }
                    }
                    if ended.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
                ended.into_iter().flatten().collect::<Result<Vec<_>>>()
            })
            .await??;
        Ok(ended)
    }

    /// Asks a service once: status and text of its answer.
    pub(crate) async fn ask(
        &self,
        instance: &mut Instance,
        request: Request<Full<Bytes>>,
    ) -> Result<(u16, String)> {
        let Instance { store, component, .. } = instance;
        let service = Service::instantiate_async(&mut *store, component, &self.linker).await?;
        let (request, _sent) =
            wasmtime_wasi_http::p3::Request::from_http(&mut store.data_mut().hooks, request);
        store
            .run_concurrent(async |store| {
                let answer = service.handle(store, request).await?;
                let answer =
                    answer.map_err(|error: ErrorCode| wasmtime::format_err!("{error:?}"))?;
                let answer =
                    store.with(|mut store| answer.into_http(&mut store, async { Ok(()) }))?;
                let (head, body) = answer.into_parts();
                let body = body.collect().await.map_err(|e| wasmtime::format_err!("{e:?}"))?;
                let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
                Ok((head.status.as_u16(), text))
            })
            .await?
    }
}

impl Instance {
    /// What it asked the host to send.
    pub(crate) fn sent(&self) -> Vec<Option<Duration>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.hooks, table: &mut self.table, ctx: &mut self.http }
    }
}

/// The request's transmission, as its maker may await it.
type Transmission = Box<dyn Future<Output = core::result::Result<(), Error>> + Send>;

impl WasiHttpHooks for Hooks {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _read: Transmission,
    ) -> Box<
        dyn Future<Output = core::result::Result<(Response<WasiBody>, Transmission), Error>> + Send,
    > {
        let timeout = options.and_then(|options| options.first_byte_timeout);
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).push(timeout);
        Box::new(send(request))
    }
}

/// One request on one connection, in the clear.
async fn send(
    mut request: Request<WasiBody>,
) -> core::result::Result<(Response<WasiBody>, Transmission), Error> {
    let authority = request.uri().authority().ok_or(Error::HttpRequestUriInvalid)?.to_string();
    let stream = TcpStream::connect(authority).await.map_err(Error::Connect)?;
    let (mut sender, connection) = http1::handshake(Io(stream)).await?;
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse().map_err(|_| Error::HttpRequestUriInvalid)?;
    let mut connection = Box::pin(connection);
    let mut open = true;
    let answer = {
        let mut answer = pin!(sender.send_request(request));
        poll_fn(|cx| {
            if open && connection.as_mut().poll(cx).is_ready() {
                open = false;
            }
            answer.as_mut().poll(cx)
        })
        .await?
    };
    let rest: Transmission =
        Box::new(async move { if open { connection.await.map_err(Error::from) } else { Ok(()) } });
    Ok((answer.map(|body| body.map_err(Error::from).boxed_unsync()), rest))
}

// Written by `cargo xtask profiles` from core/profiles/*.json: change those.

use super::{KeyShape, Pointers, Profile, ResetUnit, Rule, Test};
use crate::{
    classify::{Basis, Class, Delivery},
    time::Millis,
};

/// Every profile, in the order of the ids.
pub static ALL: &[&Profile] = &[
    &ADOBE,
    &ADOBE_VIPMP,
    &ADYEN,
    &ANTHROPIC,
    &ARM,
    &ATLASSIAN,
    &AUTODESK,
    &AWS,
    &AZURE,
    &AZURE_COMMUNICATION,
    &CHECKOUT,
    &CLOUDFLARE,
    &COSMOS,
    &DISCORD,
    &DYNAMODB,
    &ENVOY,
    &GITHUB,
    &GITLAB,
    &GOOGLE,
    &GRPC,
    &HUBSPOT,
    &LEMLIST,
    &LINEAR,
    &MSGRAPH,
    &OKTA,
    &OPENAI,
    &PARTNER_CENTER,
    &PAYPAL,
    &REDDIT,
    &ROCKETCHAT,
    &SALESFORCE,
    &SENDGRID,
    &SHOPIFY,
    &SLACK,
    &SQUARE,
    &STRIPE,
    &STRIPE_V2,
    &TIENDANUBE,
    &TWILIO,
    &X,
];

static ADOBE: Profile = Profile {
    id: "adobe",
    name: "Adobe APIs",
    policy: r#"{"idempotency":{"header":"x-request-id","honoured":false}}"#,
    pointers: Pointers { code: &["/error_code", "/code"], ..Pointers::STANDARD },
    ..BASE
};

static ADOBE_VIPMP: Profile = Profile {
    id: "adobe-vipmp",
    name: "Adobe VIP Marketplace",
    policy: r#"{"idempotency":{"header":"X-Correlation-Id","honoured":true,"windowMs":864000000}}"#,
    pointers: Pointers { code: &["/code"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(500, 500)], Test::KeySent, Class::Permanent, Delivery::MaybeProcessed, Basis::None, None),
    ],
    ..BASE
};

static ADYEN: Profile = Profile {
    id: "adyen",
    name: "Adyen APIs",
    policy: r#"{"idempotency":{"header":"Idempotency-Key","honoured":true,"windowMs":604800000}}"#,
    pointers: Pointers { code: &["/errorCode"], ..Pointers::STANDARD },
    key_max_len: 64,
    rules: &[
        rule(&[(400, 599)], Test::Header("transient-error", &["true"]), Class::Transient, Delivery::MaybeProcessed, Basis::None, None),
        rule(&[(409, 409), (422, 422)], Test::Code(&["704"]), Class::Transient, Delivery::MaybeProcessed, Basis::None, None),
    ],
    ..BASE
};

static ANTHROPIC: Profile = Profile {
    id: "anthropic",
    name: "Claude API",
    policy: r#"{"hint":{"maxMs":300000}}"#,
    pointers: Pointers { code: &["/error/details/error_code", "/error/type"], policy: &["/error/message"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(400, 400), (403, 403), (429, 429)], Test::Code(&["enforced_spend_limit_reached"]), Class::Permanent, Delivery::NotProcessed, Basis::Status, None),
        rule(&[(400, 400), (403, 403), (429, 429)], Test::PolicyHas(&["spend limit"]), Class::Permanent, Delivery::NotProcessed, Basis::Status, None),
        rule(&[(500, 599)], Test::Code(&["overloaded_error"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static ARM: Profile = Profile {
    id: "arm",
    name: "Azure Resource Manager",
    policy: r#"{"backoff":{"baseMs":800,"capMs":60000},"hint":{"beyond":"give-up","maxMs":300000},"maxRetries":3}"#,
    pointers: Pointers { code: &["/error/code", "/code"], ..Pointers::STANDARD },
    code_headers: &["x-ms-error-code"],
    like: Some(&AZURE),
    ..BASE
};

static ATLASSIAN: Profile = Profile {
    id: "atlassian",
    name: "Jira and Confluence Cloud",
    policy: r#"{"hint":{"maxMs":3600000}}"#,
    ..BASE
};

static AUTODESK: Profile = Profile {
    id: "autodesk",
    name: "Autodesk Platform Services",
    policy: r#"{"hint":{"maxMs":60000},"idempotency":{"header":"x-request-id","honoured":false}}"#,
    pointers: Pointers { code: &["/errorCode"], ..Pointers::STANDARD },
    ..BASE
};

static AWS: Profile = Profile {
    id: "aws",
    name: "Amazon Web Services",
    policy: r#"{"backoff":{"baseMs":50,"capMs":20000,"throttledBaseMs":1000},"budget":{"capacity":500,"credit":1,"kind":"tokens","throttledCost":5,"transientCost":14},"maxRetries":2}"#,
    pointers: Pointers { code: &["/__type", "/code", "/Code", "/Error/Code", "/error/code"], ..Pointers::STANDARD },
    code_headers: &["x-amzn-errortype"],
    has_qualified_codes: true,
    hint_window: Some(Millis::new(5000)),
    rules: &[
        rule(&[(400, 599)], Test::Code(&["Throttling", "ThrottlingException", "ThrottledException", "RequestThrottledException", "RequestThrottled", "TooManyRequestsException", "ProvisionedThroughputExceededException", "TransactionInProgressException", "RequestLimitExceeded", "BandwidthLimitExceeded", "LimitExceededException", "SlowDown", "PriorRequestNotComplete", "EC2ThrottledException"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
        rule(&[(400, 599)], Test::Code(&["RequestTimeout", "RequestTimeoutException"]), Class::Transient, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static AZURE: Profile = Profile {
    id: "azure",
    name: "Microsoft Azure data plane",
    policy: r#"{"backoff":{"baseMs":800,"capMs":60000},"hint":{"beyond":"give-up"},"maxRetries":3}"#,
    pointers: Pointers { code: &["/error/code", "/code"], ..Pointers::STANDARD },
    code_headers: &["x-ms-error-code"],
    rules: &[
        rule(&[(449, 449)], Test::Always, Class::Transient, Delivery::NotProcessed, Basis::Gateway, None),
        rule(&[(503, 503)], Test::Code(&["ServerBusy"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
        rule(&[(409, 409), (429, 429)], Test::Code(&["RetryableErrorDueToAnotherOperation"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static AZURE_COMMUNICATION: Profile = Profile {
    id: "azure-communication",
    name: "Azure Communication Services",
    policy: r#"{"backoff":{"baseMs":800,"capMs":60000},"hint":{"beyond":"give-up"},"idempotency":{"firstSentHeader":"Repeatability-First-Sent","header":"Repeatability-Request-ID","honoured":true,"windowMs":300000},"maxRetries":3}"#,
    pointers: Pointers { code: &["/error/code", "/code"], ..Pointers::STANDARD },
    code_headers: &["x-ms-error-code"],
    key_shape: KeyShape::Uuid,
    like: Some(&AZURE),
    ..BASE
};

static CHECKOUT: Profile = Profile {
    id: "checkout",
    name: "Checkout.com",
    policy: r#"{"idempotency":{"header":"Cko-Idempotency-Key","honoured":true,"windowMs":86400000}}"#,
    pointers: Pointers { code: &["/error_codes/0", "/error_type"], ..Pointers::STANDARD },
    ..BASE
};

static CLOUDFLARE: Profile = Profile {
    id: "cloudflare",
    name: "Cloudflare edge",
    policy: r#"{"hint":{"maxMs":120000}}"#,
    pointers: Pointers { code: &["/error_code"], retry_after_s: &["/retry_after"], ..Pointers::STANDARD },
    code_headers: &["cf-error-type"],
    rules: &[
        rule(&[(400, 599)], Test::Code(&["1015"]), Class::Throttled, Delivery::NotProcessed, Basis::Gateway, Some(Millis::new(30_000))),
        rule(&[(400, 599)], Test::Code(&["1200"]), Class::Throttled, Delivery::NotProcessed, Basis::Gateway, Some(Millis::new(60_000))),
        rule(&[(400, 599)], Test::Code(&["1004", "1005", "1033"]), Class::Transient, Delivery::NotProcessed, Basis::Gateway, Some(Millis::new(120_000))),
        rule(&[(400, 599)], Test::Code(&["1038"]), Class::Transient, Delivery::NotProcessed, Basis::Gateway, Some(Millis::new(60_000))),
        rule(&[(400, 599)], Test::Code(&["1205"]), Class::Transient, Delivery::NotProcessed, Basis::Gateway, Some(Millis::new(5_000))),
    ],
    ..BASE
};

static COSMOS: Profile = Profile {
    id: "cosmos",
    name: "Azure Cosmos DB",
    policy: r#"{"hint":{"beyond":"give-up"},"maxRetries":9}"#,
    pointers: Pointers { code: &["/code"], ..Pointers::STANDARD },
    like: Some(&AZURE),
    ..BASE
};

static DISCORD: Profile = Profile {
    id: "discord",
    name: "Discord API",
    policy: r#"{"hint":{"maxMs":3600000}}"#,
    pointers: Pointers { code: &["/code"], retry_after_s: &["/retry_after"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::EpochSeconds,
    ..BASE
};

static DYNAMODB: Profile = Profile {
    id: "dynamodb",
    name: "Amazon DynamoDB and DynamoDB Streams",
    policy: r#"{"backoff":{"baseMs":25,"capMs":20000,"throttledBaseMs":1000},"budget":{"capacity":500,"credit":1,"kind":"tokens","throttledCost":5,"transientCost":14},"maxRetries":3}"#,
    pointers: Pointers { code: &["/__type", "/code", "/Code", "/Error/Code", "/error/code"], ..Pointers::STANDARD },
    code_headers: &["x-amzn-errortype"],
    has_qualified_codes: true,
    hint_window: Some(Millis::new(5000)),
    like: Some(&AWS),
    ..BASE
};

static ENVOY: Profile = Profile {
    id: "envoy",
    name: "Envoy and meshes built on it",
    rules: &[
        rule(&[(400, 599)], Test::Header("x-envoy-ratelimited", &[]), Class::Throttled, Delivery::NotProcessed, Basis::Gateway, None),
    ],
    ..BASE
};

static GITHUB: Profile = Profile {
    id: "github",
    name: "GitHub REST API",
    policy: r#"{"hint":{"maxMs":3600000}}"#,
    pointers: Pointers { code: &["/message"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::EpochSeconds,
    rules: &[
        rule(&[(403, 403), (429, 429)], Test::UsedUp, Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
        rule(&[(403, 403), (429, 429)], Test::RetryAfter, Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
        rule(&[(403, 403), (429, 429)], Test::CodeHas(&["secondary rate limit", "secondary_rate_limit", "abuse detection"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, Some(Millis::new(60_000))),
        rule(&[(429, 429)], Test::Always, Class::Throttled, Delivery::NotProcessed, Basis::Status, Some(Millis::new(60_000))),
    ],
    ..BASE
};

static GITLAB: Profile = Profile {
    id: "gitlab",
    name: "GitLab REST API",
    policy: r#"{"hint":{"maxMs":60000}}"#,
    reset_unit: ResetUnit::EpochSeconds,
    ..BASE
};

static GOOGLE: Profile = Profile {
    id: "google",
    name: "Google APIs",
    policy: r#"{"hint":{"maxMs":60000}}"#,
    pointers: Pointers { code: &["/error/status"], policy: &["/error/details/0/violations/0/quotaId", "/error/details/1/violations/0/quotaId", "/error/details/2/violations/0/quotaId"], retry_delay: &["/error/details/0/retryDelay", "/error/details/1/retryDelay", "/error/details/2/retryDelay", "/error/details/3/retryDelay"], ..Pointers::STANDARD },
    code_headers: &["grpc-status"],
    rules: &[
        rule(&[(429, 429)], Test::PolicyHas(&["PerDay"]), Class::Permanent, Delivery::NotProcessed, Basis::Status, None),
    ],
    like: Some(&GRPC),
    ..BASE
};

static GRPC: Profile = Profile {
    id: "grpc",
    name: "gRPC",
    policy: r#"{"backoff":{"baseMs":1000,"capMs":30000,"ceilingMs":36000,"jitter":"proportional","jitterRatio":0.2},"maxRetries":4}"#,
    pointers: Pointers { code: &["/error/status"], ..Pointers::STANDARD },
    code_headers: &["grpc-status"],
    is_grpc: true,
    rules: &[
        rule(&[(200, 200)], Test::Code(&["0", "OK"]), Class::Success, Delivery::Processed, Basis::None, None),
        rule(&[(200, 599)], Test::Code(&["1", "CANCELLED"]), Class::Cancelled, Delivery::MaybeProcessed, Basis::None, None),
        rule(&[(200, 599)], Test::Code(&["3", "INVALID_ARGUMENT", "5", "NOT_FOUND", "6", "ALREADY_EXISTS", "7", "PERMISSION_DENIED", "9", "FAILED_PRECONDITION", "10", "ABORTED", "11", "OUT_OF_RANGE", "12", "UNIMPLEMENTED", "16", "UNAUTHENTICATED"]), Class::Permanent, Delivery::Processed, Basis::None, None),
        rule(&[(200, 599)], Test::Code(&["8", "RESOURCE_EXHAUSTED"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
        rule(&[(200, 599)], Test::Code(&["15", "DATA_LOSS"]), Class::Permanent, Delivery::MaybeProcessed, Basis::None, None),
        rule(&[(200, 599)], Test::Code(&["2", "UNKNOWN", "4", "DEADLINE_EXCEEDED", "13", "INTERNAL", "14", "UNAVAILABLE"]), Class::Transient, Delivery::MaybeProcessed, Basis::None, None),
        rule(&[(200, 200)], Test::Code(&[]), Class::Transient, Delivery::MaybeProcessed, Basis::None, None),
    ],
    ..BASE
};

static HUBSPOT: Profile = Profile {
    id: "hubspot",
    name: "HubSpot API",
    pointers: Pointers { code: &["/errorType", "/category"], policy: &["/policyName"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(429, 429)], Test::Policy(&["TEN_SECONDLY_ROLLING"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, Some(Millis::new(10_000))),
        rule(&[(429, 429)], Test::Policy(&["SECONDLY"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, Some(Millis::new(1_000))),
        rule(&[(429, 429)], Test::Policy(&[]), Class::Permanent, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static LEMLIST: Profile = Profile {
    id: "lemlist",
    name: "lemlist API",
    ..BASE
};

static LINEAR: Profile = Profile {
    id: "linear",
    name: "Linear GraphQL API",
    policy: r#"{"hint":{"maxMs":3600000}}"#,
    pointers: Pointers { code: &["/errors/0/extensions/code"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::EpochMillis,
    rules: &[
        rule(&[(200, 599)], Test::Code(&["RATELIMITED"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static MSGRAPH: Profile = Profile {
    id: "msgraph",
    name: "Microsoft Graph",
    policy: r#"{"hint":{"maxMs":600000},"idempotency":{"header":"client-request-id","honoured":false}}"#,
    pointers: Pointers { code: &["/error/code"], ..Pointers::STANDARD },
    ..BASE
};

static OKTA: Profile = Profile {
    id: "okta",
    name: "Okta API",
    policy: r#"{"hint":{"maxMs":60000}}"#,
    pointers: Pointers { code: &["/errorCode"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::EpochSeconds,
    ..BASE
};

static OPENAI: Profile = Profile {
    id: "openai",
    name: "OpenAI API and its look-alikes",
    policy: r#"{"hint":{"beyond":"give-up","maxMs":120000}}"#,
    pointers: Pointers { code: &["/error/code", "/error/type"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::DeltaSeconds,
    rules: &[
        rule(&[(402, 402), (403, 403), (429, 429)], Test::Code(&["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated"]), Class::Permanent, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static PARTNER_CENTER: Profile = Profile {
    id: "partner-center",
    name: "Microsoft Partner Center",
    policy: r#"{"hint":{"maxMs":300000},"idempotency":{"header":"MS-RequestId","honoured":false}}"#,
    pointers: Pointers { code: &["/code"], ..Pointers::STANDARD },
    key_shape: KeyShape::Uuid,
    ..BASE
};

static PAYPAL: Profile = Profile {
    id: "paypal",
    name: "PayPal REST APIs",
    policy: r#"{"idempotency":{"header":"PayPal-Request-Id","honoured":true,"windowMs":10800000}}"#,
    pointers: Pointers { code: &["/name"], ..Pointers::STANDARD },
    key_max_len: 108,
    ..BASE
};

static REDDIT: Profile = Profile {
    id: "reddit",
    name: "Reddit API",
    policy: r#"{"hint":{"maxMs":600000}}"#,
    reset_unit: ResetUnit::DeltaSeconds,
    ..BASE
};

static ROCKETCHAT: Profile = Profile {
    id: "rocketchat",
    name: "Rocket.Chat API",
    policy: r#"{"hint":{"maxMs":60000}}"#,
    reset_unit: ResetUnit::EpochMillis,
    ..BASE
};

static SALESFORCE: Profile = Profile {
    id: "salesforce",
    name: "Salesforce REST API",
    pointers: Pointers { code: &["/0/errorCode", "/errorCode"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(403, 403)], Test::Code(&["REQUEST_LIMIT_EXCEEDED"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static SENDGRID: Profile = Profile {
    id: "sendgrid",
    name: "Twilio SendGrid API",
    policy: r#"{"hint":{"maxMs":60000}}"#,
    reset_unit: ResetUnit::EpochSeconds,
    rules: &[
        rule(&[(403, 403)], Test::Always, Class::Permanent, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static SHOPIFY: Profile = Profile {
    id: "shopify",
    name: "Shopify Admin API",
    pointers: Pointers { code: &["/errors/0/extensions/code"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(200, 599)], Test::Code(&["THROTTLED"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
    ],
    ..BASE
};

static SLACK: Profile = Profile {
    id: "slack",
    name: "Slack Web API",
    policy: r#"{"hint":{"maxMs":60000}}"#,
    pointers: Pointers { code: &["/error"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(200, 200)], Test::Code(&["ratelimited", "rate_limited"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, None),
        rule(&[(200, 200)], Test::Code(&["internal_error", "fatal_error", "service_unavailable", "request_timeout"]), Class::Transient, Delivery::MaybeProcessed, Basis::None, None),
        rule(&[(200, 200)], Test::Code(&[]), Class::Permanent, Delivery::Processed, Basis::None, None),
    ],
    ..BASE
};

static SQUARE: Profile = Profile {
    id: "square",
    name: "Square APIs",
    policy: r#"{"idempotency":{"honoured":false}}"#,
    pointers: Pointers { code: &["/errors/0/code"], ..Pointers::STANDARD },
    key_max_len: 45,
    key_field: "idempotency_key",
    ..BASE
};

static STRIPE: Profile = Profile {
    id: "stripe",
    name: "Stripe API v1",
    policy: r#"{"idempotency":{"header":"Idempotency-Key","honoured":true,"windowMs":86400000}}"#,
    pointers: Pointers { code: &["/error/code", "/error/type"], ..Pointers::STANDARD },
    key_max_len: 255,
    rules: &[
        rule(&[(409, 409)], Test::Always, Class::Transient, Delivery::MaybeProcessed, Basis::None, None),
    ],
    ..BASE
};

static STRIPE_V2: Profile = Profile {
    id: "stripe-v2",
    name: "Stripe API v2",
    policy: r#"{"idempotency":{"header":"Idempotency-Key","honoured":true,"windowMs":2592000000}}"#,
    pointers: Pointers { code: &["/error/code", "/error/type"], ..Pointers::STANDARD },
    key_max_len: 255,
    like: Some(&STRIPE),
    ..BASE
};

static TIENDANUBE: Profile = Profile {
    id: "tiendanube",
    name: "Tienda Nube and Nuvemshop API",
    reset_unit: ResetUnit::DeltaMillis,
    ..BASE
};

static TWILIO: Profile = Profile {
    id: "twilio",
    name: "Twilio API",
    policy: r#"{"backoff":{"baseMs":100,"capMs":3000}}"#,
    pointers: Pointers { code: &["/code"], ..Pointers::STANDARD },
    ..BASE
};

static X: Profile = Profile {
    id: "x",
    name: "X API",
    policy: r#"{"hint":{"maxMs":900000}}"#,
    reset_unit: ResetUnit::EpochSeconds,
    ..BASE
};

const BASE: Profile = Profile {
    id: "",
    name: "",
    policy: "{}",
    pointers: Pointers::STANDARD,
    code_headers: &[],
    has_qualified_codes: false,
    reset_unit: ResetUnit::Auto,
    hint_window: None,
    is_grpc: false,
    key_max_len: 0,
    key_shape: KeyShape::Any,
    key_field: "",
    rules: &[],
    like: None,
};

const fn rule(
    statuses: &'static [(u16, u16)],
    test: Test,
    class: Class,
    delivery: Delivery,
    basis: Basis,
    wait: Option<Millis>,
) -> Rule {
    Rule { statuses, test, class, delivery, basis, wait }
}

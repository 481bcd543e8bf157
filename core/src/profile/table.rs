// Written by `cargo xtask profiles` from core/profiles/*.json: change those.

use super::{KeyShape, Pointers, Profile, ResetUnit, Rule, Test};
use crate::classify::{Basis, Class, Delivery};

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

/// What each is called, in that order.
pub(super) const NAMES: &[&str] = &[
    "Adobe APIs",
    "Adobe VIP Marketplace",
    "Adyen APIs",
    "Claude API",
    "Azure Resource Manager",
    "Jira and Confluence Cloud",
    "Autodesk Platform Services",
    "Amazon Web Services",
    "Microsoft Azure data plane",
    "Azure Communication Services",
    "Checkout.com",
    "Cloudflare edge",
    "Azure Cosmos DB",
    "Discord API",
    "Amazon DynamoDB and DynamoDB Streams",
    "Envoy and meshes built on it",
    "GitHub REST API",
    "GitLab REST API",
    "Google APIs",
    "gRPC",
    "HubSpot API",
    "lemlist API",
    "Linear GraphQL API",
    "Microsoft Graph",
    "Okta API",
    "OpenAI API and its look-alikes",
    "Microsoft Partner Center",
    "PayPal REST APIs",
    "Reddit API",
    "Rocket.Chat API",
    "Salesforce REST API",
    "Twilio SendGrid API",
    "Shopify Admin API",
    "Slack Web API",
    "Square APIs",
    "Stripe API v1",
    "Stripe API v2",
    "Tienda Nube and Nuvemshop API",
    "Twilio API",
    "X API",
];

/// The fragment of a policy document that each lays down, in that order.
pub(super) const POLICIES: &[&str] = &[
    r#"{"idempotency":{"header":"x-request-id","honoured":false}}"#,
    r#"{"idempotency":{"header":"X-Correlation-Id","honoured":true,"windowMs":864000000}}"#,
    r#"{"idempotency":{"header":"Idempotency-Key","honoured":true,"windowMs":604800000}}"#,
    r#"{"hint":{"maxMs":300000}}"#,
    r#"{"backoff":{"baseMs":800,"capMs":60000},"hint":{"beyond":"give-up","maxMs":300000},"maxRetries":3}"#,
    r#"{"hint":{"maxMs":3600000}}"#,
    r#"{"hint":{"maxMs":60000},"idempotency":{"header":"x-request-id","honoured":false}}"#,
    r#"{"backoff":{"baseMs":50,"capMs":20000,"throttledBaseMs":1000},"budget":{"capacity":500,"credit":1,"kind":"tokens","throttledCost":5,"transientCost":14},"maxRetries":2}"#,
    r#"{"backoff":{"baseMs":800,"capMs":60000},"hint":{"beyond":"give-up"},"maxRetries":3}"#,
    r#"{"backoff":{"baseMs":800,"capMs":60000},"hint":{"beyond":"give-up"},"idempotency":{"firstSentHeader":"Repeatability-First-Sent","header":"Repeatability-Request-ID","honoured":true,"windowMs":300000},"maxRetries":3}"#,
    r#"{"idempotency":{"header":"Cko-Idempotency-Key","honoured":true,"windowMs":86400000}}"#,
    r#"{"hint":{"maxMs":120000}}"#,
    r#"{"hint":{"beyond":"give-up"},"maxRetries":9}"#,
    r#"{"hint":{"maxMs":3600000}}"#,
    r#"{"backoff":{"baseMs":25,"capMs":20000,"throttledBaseMs":1000},"budget":{"capacity":500,"credit":1,"kind":"tokens","throttledCost":5,"transientCost":14},"maxRetries":3}"#,
    "{}",
    r#"{"hint":{"maxMs":3600000}}"#,
    r#"{"hint":{"maxMs":60000}}"#,
    r#"{"hint":{"maxMs":60000}}"#,
    r#"{"backoff":{"baseMs":1000,"capMs":30000,"ceilingMs":36000,"jitter":"proportional","jitterRatio":0.2},"maxRetries":4}"#,
    "{}",
    "{}",
    r#"{"hint":{"maxMs":3600000}}"#,
    r#"{"hint":{"maxMs":600000},"idempotency":{"header":"client-request-id","honoured":false}}"#,
    r#"{"hint":{"maxMs":60000}}"#,
    r#"{"hint":{"beyond":"give-up","maxMs":120000}}"#,
    r#"{"hint":{"maxMs":300000},"idempotency":{"header":"MS-RequestId","honoured":false}}"#,
    r#"{"idempotency":{"header":"PayPal-Request-Id","honoured":true,"windowMs":10800000}}"#,
    r#"{"hint":{"maxMs":600000}}"#,
    r#"{"hint":{"maxMs":60000}}"#,
    "{}",
    r#"{"hint":{"maxMs":60000}}"#,
    "{}",
    r#"{"hint":{"maxMs":60000}}"#,
    r#"{"idempotency":{"honoured":false}}"#,
    r#"{"idempotency":{"header":"Idempotency-Key","honoured":true,"windowMs":86400000}}"#,
    r#"{"idempotency":{"header":"Idempotency-Key","honoured":true,"windowMs":2592000000}}"#,
    "{}",
    r#"{"backoff":{"baseMs":100,"capMs":3000}}"#,
    r#"{"hint":{"maxMs":900000}}"#,
];

static ADOBE: Profile = Profile {
    id: "adobe",
    pointers: &Pointers { code: &["/error_code", "/code"], ..Pointers::STANDARD },
    ..BASE
};

static ADOBE_VIPMP: Profile = Profile {
    id: "adobe-vipmp",
    pointers: &Pointers { code: &["/code"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(500, 500)], Test::KeySent, Class::Permanent, Delivery::MaybeProcessed, Basis::None, 0),
    ],
    ..BASE
};

static ADYEN: Profile = Profile {
    id: "adyen",
    pointers: &Pointers { code: &["/errorCode"], ..Pointers::STANDARD },
    key_max_len: 64,
    rules: &[
        rule(&[(400, 599)], Test::Header("transient-error", &["true"]), Class::Transient, Delivery::MaybeProcessed, Basis::None, 0),
        rule(&[(409, 409), (422, 422)], Test::Code(&["704"]), Class::Transient, Delivery::MaybeProcessed, Basis::None, 0),
    ],
    ..BASE
};

static ANTHROPIC: Profile = Profile {
    id: "anthropic",
    pointers: &Pointers { code: &["/error/details/error_code", "/error/type"], policy: &["/error/message"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(400, 400), (403, 403), (429, 429)], Test::Code(&["enforced_spend_limit_reached"]), Class::Permanent, Delivery::NotProcessed, Basis::Status, 0),
        rule(&[(400, 400), (403, 403), (429, 429)], Test::PolicyHas(&["spend limit"]), Class::Permanent, Delivery::NotProcessed, Basis::Status, 0),
        rule(&[(500, 599)], Test::Code(&["overloaded_error"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static ARM: Profile = Profile {
    id: "arm",
    pointers: &Pointers { code: &["/error/code", "/code"], ..Pointers::STANDARD },
    code_headers: &["x-ms-error-code"],
    like: Some(&AZURE),
    ..BASE
};

static ATLASSIAN: Profile = Profile {
    id: "atlassian",
    ..BASE
};

static AUTODESK: Profile = Profile {
    id: "autodesk",
    pointers: &Pointers { code: &["/errorCode"], ..Pointers::STANDARD },
    ..BASE
};

static AWS: Profile = Profile {
    id: "aws",
    pointers: &Pointers { code: &["/__type", "/code", "/Code", "/Error/Code", "/error/code"], ..Pointers::STANDARD },
    code_headers: &["x-amzn-errortype"],
    has_qualified_codes: true,
    hint_window_ms: 5_000,
    rules: &[
        rule(&[(400, 599)], Test::Code(&["Throttling", "ThrottlingException", "ThrottledException", "RequestThrottledException", "RequestThrottled", "TooManyRequestsException", "ProvisionedThroughputExceededException", "TransactionInProgressException", "RequestLimitExceeded", "BandwidthLimitExceeded", "LimitExceededException", "SlowDown", "PriorRequestNotComplete", "EC2ThrottledException"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
        rule(&[(400, 599)], Test::Code(&["RequestTimeout", "RequestTimeoutException"]), Class::Transient, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static AZURE: Profile = Profile {
    id: "azure",
    pointers: &Pointers { code: &["/error/code", "/code"], ..Pointers::STANDARD },
    code_headers: &["x-ms-error-code"],
    rules: &[
        rule(&[(449, 449)], Test::Always, Class::Transient, Delivery::NotProcessed, Basis::Gateway, 0),
        rule(&[(503, 503)], Test::Code(&["ServerBusy"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
        rule(&[(409, 409), (429, 429)], Test::Code(&["RetryableErrorDueToAnotherOperation"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static AZURE_COMMUNICATION: Profile = Profile {
    id: "azure-communication",
    pointers: &Pointers { code: &["/error/code", "/code"], ..Pointers::STANDARD },
    code_headers: &["x-ms-error-code"],
    key_shape: KeyShape::Uuid,
    like: Some(&AZURE),
    ..BASE
};

static CHECKOUT: Profile = Profile {
    id: "checkout",
    pointers: &Pointers { code: &["/error_codes/0", "/error_type"], ..Pointers::STANDARD },
    ..BASE
};

static CLOUDFLARE: Profile = Profile {
    id: "cloudflare",
    pointers: &Pointers { code: &["/error_code"], retry_after_s: &["/retry_after"], ..Pointers::STANDARD },
    code_headers: &["cf-error-type"],
    rules: &[
        rule(&[(400, 599)], Test::Code(&["1015"]), Class::Throttled, Delivery::NotProcessed, Basis::Gateway, 30_000),
        rule(&[(400, 599)], Test::Code(&["1200"]), Class::Throttled, Delivery::NotProcessed, Basis::Gateway, 60_000),
        rule(&[(400, 599)], Test::Code(&["1004", "1005", "1033"]), Class::Transient, Delivery::NotProcessed, Basis::Gateway, 120_000),
        rule(&[(400, 599)], Test::Code(&["1038"]), Class::Transient, Delivery::NotProcessed, Basis::Gateway, 60_000),
        rule(&[(400, 599)], Test::Code(&["1205"]), Class::Transient, Delivery::NotProcessed, Basis::Gateway, 5_000),
    ],
    ..BASE
};

static COSMOS: Profile = Profile {
    id: "cosmos",
    pointers: &Pointers { code: &["/code"], ..Pointers::STANDARD },
    like: Some(&AZURE),
    ..BASE
};

static DISCORD: Profile = Profile {
    id: "discord",
    pointers: &Pointers { code: &["/code"], retry_after_s: &["/retry_after"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::EpochSeconds,
    ..BASE
};

static DYNAMODB: Profile = Profile {
    id: "dynamodb",
    pointers: &Pointers { code: &["/__type", "/code", "/Code", "/Error/Code", "/error/code"], ..Pointers::STANDARD },
    code_headers: &["x-amzn-errortype"],
    has_qualified_codes: true,
    hint_window_ms: 5_000,
    like: Some(&AWS),
    ..BASE
};

static ENVOY: Profile = Profile {
    id: "envoy",
    rules: &[
        rule(&[(400, 599)], Test::Header("x-envoy-ratelimited", &[]), Class::Throttled, Delivery::NotProcessed, Basis::Gateway, 0),
    ],
    ..BASE
};

static GITHUB: Profile = Profile {
    id: "github",
    pointers: &Pointers { code: &["/message"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::EpochSeconds,
    rules: &[
        rule(&[(403, 403), (429, 429)], Test::UsedUp, Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
        rule(&[(403, 403), (429, 429)], Test::RetryAfter, Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
        rule(&[(403, 403), (429, 429)], Test::CodeHas(&["secondary rate limit", "secondary_rate_limit", "abuse detection"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 60_000),
        rule(&[(429, 429)], Test::Always, Class::Throttled, Delivery::NotProcessed, Basis::Status, 60_000),
    ],
    ..BASE
};

static GITLAB: Profile = Profile {
    id: "gitlab",
    reset_unit: ResetUnit::EpochSeconds,
    ..BASE
};

static GOOGLE: Profile = Profile {
    id: "google",
    pointers: &Pointers { code: &["/error/status"], policy: &["/error/details/0/violations/0/quotaId", "/error/details/1/violations/0/quotaId", "/error/details/2/violations/0/quotaId"], retry_delay: &["/error/details/0/retryDelay", "/error/details/1/retryDelay", "/error/details/2/retryDelay", "/error/details/3/retryDelay"], ..Pointers::STANDARD },
    code_headers: &["grpc-status"],
    rules: &[
        rule(&[(429, 429)], Test::PolicyHas(&["PerDay"]), Class::Permanent, Delivery::NotProcessed, Basis::Status, 0),
    ],
    like: Some(&GRPC),
    ..BASE
};

static GRPC: Profile = Profile {
    id: "grpc",
    pointers: &Pointers { code: &["/error/status"], ..Pointers::STANDARD },
    code_headers: &["grpc-status"],
    is_grpc: true,
    rules: &[
        rule(&[(200, 200)], Test::Code(&["0", "OK"]), Class::Success, Delivery::Processed, Basis::None, 0),
        rule(&[(200, 599)], Test::Code(&["1", "CANCELLED"]), Class::Cancelled, Delivery::MaybeProcessed, Basis::None, 0),
        rule(&[(200, 599)], Test::Code(&["3", "INVALID_ARGUMENT", "5", "NOT_FOUND", "6", "ALREADY_EXISTS", "7", "PERMISSION_DENIED", "9", "FAILED_PRECONDITION", "10", "ABORTED", "11", "OUT_OF_RANGE", "12", "UNIMPLEMENTED", "16", "UNAUTHENTICATED"]), Class::Permanent, Delivery::Processed, Basis::None, 0),
        rule(&[(200, 599)], Test::Code(&["8", "RESOURCE_EXHAUSTED"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
        rule(&[(200, 599)], Test::Code(&["15", "DATA_LOSS"]), Class::Permanent, Delivery::MaybeProcessed, Basis::None, 0),
        rule(&[(200, 599)], Test::Code(&["2", "UNKNOWN", "4", "DEADLINE_EXCEEDED", "13", "INTERNAL", "14", "UNAVAILABLE"]), Class::Transient, Delivery::MaybeProcessed, Basis::None, 0),
        rule(&[(200, 200)], Test::Code(&[]), Class::Transient, Delivery::MaybeProcessed, Basis::None, 0),
    ],
    ..BASE
};

static HUBSPOT: Profile = Profile {
    id: "hubspot",
    pointers: &Pointers { code: &["/errorType", "/category"], policy: &["/policyName"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(429, 429)], Test::Policy(&["TEN_SECONDLY_ROLLING"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 10_000),
        rule(&[(429, 429)], Test::Policy(&["SECONDLY"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 1_000),
        rule(&[(429, 429)], Test::Policy(&[]), Class::Permanent, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static LEMLIST: Profile = Profile {
    id: "lemlist",
    ..BASE
};

static LINEAR: Profile = Profile {
    id: "linear",
    pointers: &Pointers { code: &["/errors/0/extensions/code"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::EpochMillis,
    rules: &[
        rule(&[(200, 599)], Test::Code(&["RATELIMITED"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static MSGRAPH: Profile = Profile {
    id: "msgraph",
    pointers: &Pointers { code: &["/error/code"], ..Pointers::STANDARD },
    ..BASE
};

static OKTA: Profile = Profile {
    id: "okta",
    pointers: &Pointers { code: &["/errorCode"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::EpochSeconds,
    ..BASE
};

static OPENAI: Profile = Profile {
    id: "openai",
    pointers: &Pointers { code: &["/error/code", "/error/type"], ..Pointers::STANDARD },
    reset_unit: ResetUnit::DeltaSeconds,
    rules: &[
        rule(&[(402, 402), (403, 403), (429, 429)], Test::Code(&["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated"]), Class::Permanent, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static PARTNER_CENTER: Profile = Profile {
    id: "partner-center",
    pointers: &Pointers { code: &["/code"], ..Pointers::STANDARD },
    key_shape: KeyShape::Uuid,
    ..BASE
};

static PAYPAL: Profile = Profile {
    id: "paypal",
    pointers: &Pointers { code: &["/name"], ..Pointers::STANDARD },
    key_max_len: 108,
    ..BASE
};

static REDDIT: Profile = Profile {
    id: "reddit",
    reset_unit: ResetUnit::DeltaSeconds,
    ..BASE
};

static ROCKETCHAT: Profile = Profile {
    id: "rocketchat",
    reset_unit: ResetUnit::EpochMillis,
    ..BASE
};

static SALESFORCE: Profile = Profile {
    id: "salesforce",
    pointers: &Pointers { code: &["/0/errorCode", "/errorCode"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(403, 403)], Test::Code(&["REQUEST_LIMIT_EXCEEDED"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static SENDGRID: Profile = Profile {
    id: "sendgrid",
    reset_unit: ResetUnit::EpochSeconds,
    rules: &[
        rule(&[(403, 403)], Test::Always, Class::Permanent, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static SHOPIFY: Profile = Profile {
    id: "shopify",
    pointers: &Pointers { code: &["/errors/0/extensions/code"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(200, 599)], Test::Code(&["THROTTLED"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
    ],
    ..BASE
};

static SLACK: Profile = Profile {
    id: "slack",
    pointers: &Pointers { code: &["/error"], ..Pointers::STANDARD },
    rules: &[
        rule(&[(200, 200)], Test::Code(&["ratelimited", "rate_limited"]), Class::Throttled, Delivery::NotProcessed, Basis::Status, 0),
        rule(&[(200, 200)], Test::Code(&["internal_error", "fatal_error", "service_unavailable", "request_timeout"]), Class::Transient, Delivery::MaybeProcessed, Basis::None, 0),
        rule(&[(200, 200)], Test::Code(&[]), Class::Permanent, Delivery::Processed, Basis::None, 0),
    ],
    ..BASE
};

static SQUARE: Profile = Profile {
    id: "square",
    pointers: &Pointers { code: &["/errors/0/code"], ..Pointers::STANDARD },
    key_max_len: 45,
    key_field: "idempotency_key",
    ..BASE
};

static STRIPE: Profile = Profile {
    id: "stripe",
    pointers: &Pointers { code: &["/error/code", "/error/type"], ..Pointers::STANDARD },
    key_max_len: 255,
    rules: &[
        rule(&[(409, 409)], Test::Always, Class::Transient, Delivery::MaybeProcessed, Basis::None, 0),
    ],
    ..BASE
};

static STRIPE_V2: Profile = Profile {
    id: "stripe-v2",
    pointers: &Pointers { code: &["/error/code", "/error/type"], ..Pointers::STANDARD },
    key_max_len: 255,
    like: Some(&STRIPE),
    ..BASE
};

static TIENDANUBE: Profile = Profile {
    id: "tiendanube",
    reset_unit: ResetUnit::DeltaMillis,
    ..BASE
};

static TWILIO: Profile = Profile {
    id: "twilio",
    pointers: &Pointers { code: &["/code"], ..Pointers::STANDARD },
    ..BASE
};

static X: Profile = Profile {
    id: "x",
    reset_unit: ResetUnit::EpochSeconds,
    ..BASE
};

const BASE: Profile = Profile {
    id: "",
    pointers: &Pointers::STANDARD,
    code_headers: &[],
    has_qualified_codes: false,
    reset_unit: ResetUnit::Auto,
    hint_window_ms: 0,
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
    wait_ms: u32,
) -> Rule {
    Rule { statuses, test, class, delivery, basis, wait_ms }
}

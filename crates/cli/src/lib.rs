//! The one binary daybook: composition, configuration, telemetry

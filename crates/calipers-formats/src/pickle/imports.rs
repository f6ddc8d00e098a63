//! What is known of the functions and classes that pickles import.
//!
//! Loading a pickle calls what it imports. What tensors need is harmless; what runs code, starts
//! processes, opens files or connections, or loads further pickles is dangerous; what is neither is
//! unknown, and what it does depends on code that the file does not have.

use super::Import;
use super::known::{DANGEROUS_MODULES, DANGEROUS_NAMES, HARMLESS, TORCH};

/// What an import can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgment {
    /// It makes tensors, containers or numbers.
    Harmless,
    /// It is a class or a function that is not known here.
    Unknown,
    /// It can run code or touch the system.
    Dangerous,
}

/// What an import can do.
pub(crate) fn judge(import: &Import) -> Judgment {
    let (module, name) = (import.module.as_str(), import.name.as_str());
    match import.is_computed {
        false if is_harmless(module, name) => Judgment::Harmless,
        false if !is_dangerous(module, name) => Judgment::Unknown,
        // Names that are computed are names that somebody wants not to be read.
        _ => Judgment::Dangerous,
    }
}

fn is_dangerous(module: &str, name: &str) -> bool {
    let module = match module {
        "__builtin__" | "__builtins__" => "builtins",
        other => other,
    };
    let below = |module: &str, outer: &str| {
        module.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let in_module = |module: &str| DANGEROUS_MODULES.iter().any(|outer| below(module, outer));
    let is_named = |module: &str, name: &str| {
        let listed = DANGEROUS_NAMES.iter().find(|(listed, _)| *listed == module);
        let first = name.split('.').next().unwrap_or(name);
        listed.is_some_and(|(_, names)| names.contains(&name) || names.contains(&first))
    };
    if in_module(module) || is_named(module, name) {
        return true;
    }
    // A module reached through another one: `torch.serialization` has `os`, and its `os.system`
    // is the same function. So is what a class offers under names for the interpreter alone.
    let mut outer = "";
    name.split('.').any(|part| {
        let is_internal = part.starts_with("__") && part.ends_with("__");
        let through = is_internal || is_named(outer, part) || is_system_module(part);
        outer = part;
        through
    })
}

/// Modules of the system that others have among their names. Common words are left out: a class
/// may have an attribute of that name.
fn is_system_module(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "builtins",
        "ctypes",
        "importlib",
        "marshal",
        "nt",
        "os",
        "pickle",
        "posix",
        "pty",
        "runpy",
        "shutil",
        "socket",
        "subprocess",
        "sys",
        "webbrowser",
    ];
    NAMES.contains(&name)
}

fn is_harmless(module: &str, name: &str) -> bool {
    if module == "torch" || module == "torch.cuda" {
        let kind = name.strip_suffix("Storage").or_else(|| name.strip_suffix("Tensor"));
        let is_typed = kind.is_some_and(|kind| !kind.is_empty() && !kind.contains(['.', '_']));
        return TORCH.contains(&name) || is_typed;
    }
    let module = if module == "__builtin__" { "builtins" } else { module };
    let listed = HARMLESS.iter().find(|(listed, _)| *listed == module);
    listed.is_some_and(|(_, names)| names.contains(&name) || *names == ["*"] && !name.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(module: &str, name: &str) -> Judgment {
        judge(&Import { module: module.to_owned(), name: name.to_owned(), is_computed: false })
    }

    #[test]
    fn what_runs_code_is_dangerous() {
        for (module, name) in [
            ("os", "system"),
            ("posix", "system"),
            ("nt", "system"),
            ("subprocess", "Popen"),
            ("builtins", "eval"),
            ("__builtin__", "eval"),
            ("builtins", "getattr"),
            ("builtins", "exec.__call__"),
            ("asyncio.unix_events", "_UnixSubprocessTransport._start"),
            ("operator", "attrgetter"),
            ("numpy.testing._private.utils", "runstring"),
            ("torch", "load"),
            ("torch.hub", "load"),
            ("torch.serialization", "os.system"),
            ("collections", "OrderedDict.__init__.__globals__"),
            ("torch._utils", "_rebuild_tensor_v2.__globals__"),
            ("functools", "partial"),
            ("webbrowser", "open"),
            ("types", "CodeType"),
        ] {
            assert_eq!(judged(module, name), Judgment::Dangerous, "{module}.{name}");
        }
        let computed =
            Import { module: "x".to_owned(), name: "(computed)".to_owned(), is_computed: true };
        assert_eq!(judge(&computed), Judgment::Dangerous);
    }

    #[test]
    fn what_tensors_need_is_harmless() {
        for (module, name) in [
            ("torch._utils", "_rebuild_tensor_v2"),
            ("torch", "FloatStorage"),
            ("torch.cuda", "HalfStorage"),
            ("torch", "bfloat16"),
            ("collections", "OrderedDict"),
            ("numpy.core.multiarray", "_reconstruct"),
            ("__builtin__", "set"),
        ] {
            assert_eq!(judged(module, name), Judgment::Harmless, "{module}.{name}");
        }
        for (module, name) in [
            ("torch.nn.modules.conv", "Conv2d"),
            ("models.yolo", "Model"),
            ("osprey", "Bird"),
            ("torch._utils", "_rebuild"),
        ] {
            assert_eq!(judged(module, name), Judgment::Unknown, "{module}.{name}");
        }
    }
}

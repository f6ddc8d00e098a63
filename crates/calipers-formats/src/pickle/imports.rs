//! What is known of the functions and classes that pickles import.
//!
//! Loading a pickle calls what it imports. What tensors need is harmless; what runs code, starts
//! processes, opens files or connections, or loads further pickles is dangerous; what is neither is
//! unknown, and what it does depends on code that the file does not have.

use super::Import;

/// What an import can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgment {
    /// It makes tensors, containers or numbers.
    Harmless,
    /// It is a class or a function of which nothing is known here.
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

/// Modules with nothing in them that a checkpoint needs: all of what is in or below them counts.
const DANGEROUS_MODULES: &[&str] = &[
    "_aix_support",
    "_ctypes",
    "_imp",
    "_io",
    "_osx_support",
    "_pickle",
    "_posixshmem",
    "_posixsubprocess",
    "_pyrepl",
    "_socket",
    "_winapi",
    "aiohttp",
    "antigravity",
    "asyncio",
    "bdb",
    "cProfile",
    "cffi",
    "cgitb",
    "cloudpickle",
    "cmd",
    "code",
    "codeop",
    "commands",
    "compileall",
    "concurrent",
    "cPickle",
    "ctypes",
    "dill",
    "distutils",
    "doctest",
    "ensurepip",
    "faulthandler",
    "fileinput",
    "ftplib",
    "gc",
    "glob",
    "http",
    "httplib",
    "httpx",
    "idlelib",
    "imaplib",
    "imp",
    "importlib",
    "inspect",
    "io",
    "jsonpickle",
    "lib2to3",
    "linecache",
    "logging.config",
    "marshal",
    "mmap",
    "modulefinder",
    "msvcrt",
    "multiprocessing",
    "nntplib",
    "nt",
    "ntpath",
    "nturl2path",
    "numpy.f2py",
    "numpy.testing",
    "numpy.distutils",
    "os",
    "paramiko",
    "pdb",
    "pickle",
    "pip",
    "pipes",
    "pkg_resources",
    "pkgutil",
    "platform",
    "popen2",
    "poplib",
    "posix",
    "posixpath",
    "profile",
    "psutil",
    "pty",
    "py_compile",
    "pydoc",
    "requests",
    "requests_toolbelt",
    "rlcompleter",
    "runpy",
    "sched",
    "selectors",
    "setuptools",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "socket",
    "socketserver",
    "sqlite3",
    "ssl",
    "subprocess",
    "sys",
    "sysconfig",
    "tarfile",
    "telnetlib",
    "tempfile",
    "test",
    "threading",
    "_thread",
    "timeit",
    "torch._dynamo",
    "torch._inductor",
    "torch.distributed.elastic",
    "torch.distributed.launch",
    "torch.distributed.rpc",
    "torch.distributed.run",
    "torch.hub",
    "torch.multiprocessing",
    "torch.package",
    "torch.testing",
    "torch.utils.bottleneck",
    "torch.utils.collect_env",
    "torch.utils.cpp_extension",
    "torch.utils.model_zoo",
    "torch.utils._config_module",
    "trace",
    "turtledemo",
    "unittest",
    "urllib",
    "urllib2",
    "urllib3",
    "venv",
    "webbrowser",
    "winreg",
    "wsgiref",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
];

/// Functions of modules that checkpoints import other things from.
const DANGEROUS_NAMES: &[(&str, &[&str])] = &[
    (
        "builtins",
        &[
            "__build_class__",
            "__import__",
            "__loader__",
            "apply",
            "breakpoint",
            "compile",
            "delattr",
            "eval",
            "exec",
            "execfile",
            "exit",
            "file",
            "getattr",
            "globals",
            "help",
            "input",
            "locals",
            "open",
            "quit",
            "raw_input",
            "reload",
            "setattr",
            "vars",
        ],
    ),
    ("codecs", &["open", "EncodedFile"]),
    ("functools", &["partial", "partialmethod", "reduce", "singledispatch", "cached_property"]),
    ("itertools", &["starmap", "accumulate"]),
    ("joblib", &["load", "Parallel", "delayed"]),
    ("joblib.numpy_pickle", &["load"]),
    ("keras.models", &["load_model"]),
    ("keras.saving", &["load_model"]),
    ("logging", &["FileHandler"]),
    ("numpy", &["load", "fromfile", "loadtxt", "genfromtxt", "memmap", "save", "savetxt"]),
    ("operator", &["attrgetter", "itemgetter", "methodcaller", "call", "getitem", "setitem"]),
    ("_operator", &["attrgetter", "itemgetter", "methodcaller", "call", "getitem", "setitem"]),
    ("pandas", &["eval", "read_pickle"]),
    ("pandas.io.pickle", &["read_pickle"]),
    ("tensorflow", &["load_library", "load_op_library"]),
    ("torch", &["load", "save", "compile", "classes", "ops"]),
    ("torch.fx.experimental.symbolic_shapes", &["ShapeEnv.evaluate_guards_expression"]),
    ("torch.jit", &["load", "save"]),
    ("torch.jit._serialization", &["load", "save"]),
    ("torch.jit.unsupported_tensor_ops", &["execWrapper"]),
    ("torch.ops", &["load_library"]),
    ("torch.serialization", &["load", "save", "_load", "_legacy_load"]),
    ("torch.storage", &["_load_from_bytes"]),
    ("types", &["CodeType", "FunctionType", "LambdaType", "MethodType", "ModuleType"]),
    ("uuid", &["_get_command_stdout", "_popen"]),
];

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

/// Functions and classes that checkpoints need, by module. `*` allows all of a module.
const HARMLESS: &[(&str, &[&str])] = &[
    (
        "builtins",
        &[
            "bool",
            "bytearray",
            "bytes",
            "complex",
            "dict",
            "float",
            "frozenset",
            "int",
            "list",
            "long",
            "object",
            "range",
            "set",
            "slice",
            "str",
            "tuple",
            "unicode",
            "xrange",
        ],
    ),
    ("_codecs", &["encode"]),
    ("argparse", &["Namespace"]),
    ("collections", &["Counter", "OrderedDict", "defaultdict", "deque"]),
    ("copy_reg", &["_reconstructor"]),
    ("copyreg", &["__newobj__", "__newobj_ex__", "_reconstructor"]),
    ("datetime", &["date", "datetime", "time", "timedelta", "timezone"]),
    ("_io", &["BytesIO", "StringIO"]),
    ("decimal", &["Decimal"]),
    ("fractions", &["Fraction"]),
    ("io", &["BytesIO", "StringIO"]),
    ("pathlib", &["Path", "PosixPath", "PurePosixPath", "PureWindowsPath", "WindowsPath"]),
    ("numpy", NUMPY_TYPES),
    ("numpy.core.multiarray", &["_reconstruct", "scalar"]),
    ("numpy._core.multiarray", &["_reconstruct", "scalar"]),
    ("numpy.core.numeric", &["_frombuffer"]),
    ("numpy._core.numeric", &["_frombuffer"]),
    ("numpy.dtypes", &["*"]),
    ("torch._tensor", &["_rebuild_from_type_v2"]),
    ("torch._utils", TORCH_UTILS),
    ("torch.jit._pickle", &["*"]),
    ("torch.nn.parameter", &["Buffer", "Parameter", "UninitializedParameter"]),
    ("torch.serialization", &["_get_layout"]),
    ("torch.storage", &["TypedStorage", "UntypedStorage"]),
    ("torch.torch_version", &["TorchVersion"]),
    ("uuid", &["UUID"]),
];

const NUMPY_TYPES: &[&str] = &[
    "bool",
    "bool_",
    "complex128",
    "complex64",
    "dtype",
    "float16",
    "float32",
    "float64",
    "int16",
    "int32",
    "int64",
    "int8",
    "ndarray",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
];

const TORCH_UTILS: &[&str] = &[
    "_rebuild_device_tensor_from_cpu_tensor",
    "_rebuild_device_tensor_from_numpy",
    "_rebuild_meta_tensor_no_storage",
    "_rebuild_nested_tensor",
    "_rebuild_parameter",
    "_rebuild_parameter_with_state",
    "_rebuild_qtensor",
    "_rebuild_sparse_csr_tensor",
    "_rebuild_sparse_tensor",
    "_rebuild_tensor",
    "_rebuild_tensor_v2",
    "_rebuild_tensor_v3",
    "_rebuild_wrapper_subclass",
    "_rebuild_xla_tensor",
];

/// Names of `torch` itself: types of elements and storages, layouts and schemes.
const TORCH: &[&str] = &[
    "Size",
    "Tensor",
    "bfloat16",
    "bits16",
    "bits1x8",
    "bits2x4",
    "bits4x2",
    "bits8",
    "bool",
    "cdouble",
    "cfloat",
    "channels_last",
    "chalf",
    "complex128",
    "complex32",
    "complex64",
    "contiguous_format",
    "device",
    "double",
    "float",
    "float16",
    "float32",
    "float4_e2m1fn_x2",
    "float64",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "half",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "long",
    "per_channel_affine",
    "per_channel_affine_float_qparams",
    "per_channel_symmetric",
    "per_tensor_affine",
    "per_tensor_symmetric",
    "preserve_format",
    "qint32",
    "qint8",
    "quint2x4",
    "quint4x2",
    "quint8",
    "short",
    "sparse_coo",
    "sparse_csr",
    "strided",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
];

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

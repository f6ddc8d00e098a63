//! What the help shows after the options.

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers model.onnx                       what the model is, on one screen
  calipers model.onnx --format json         the same as JSON
  calipers inspect model.onnx -o card.json  the same into a file
  calipers check model.onnx --fail-on error what is risky about it; ends with 3 where something is
  calipers shapes model.onnx --dim batch=8  every value's type and shape
  calipers layers model.onnx --top 10       the ten dearest nodes
  calipers sweep model.onnx --dim batch=1,8 what it costs at several sizes
  calipers diagram model.onnx               the network as boxes and arrows, in Mermaid
  calipers devices rtx-4090                 what a device can do; without a name, all of them
  calipers demo                             try it without a model
  calipers ./schema                         a model file that is named like a command

Exit status:
  0  done
  1  the model cannot be read
  2  the arguments make no sense, or an output cannot be written
  3  a finding is as severe as --fail-on says";

pub(super) const INSPECT_EXAMPLES: &str = "\
Examples:
  calipers inspect model.onnx
  calipers inspect model.onnx --format json | jq .parameters.total
  calipers inspect model.onnx -o report.json";

pub(super) const SHAPES_EXAMPLES: &str = "\
Examples:
  calipers shapes model.onnx
  calipers shapes model.onnx --dim batch=8 --dim sequence=128
  calipers shapes model.onnx --input image=1x3x224x224 --format json";

pub(super) const LAYERS_EXAMPLES: &str = "\
Examples:
  calipers layers model.onnx --dim batch=1
  calipers layers model.onnx --top 10
  calipers layers model.onnx --sort params --top 20
  calipers layers model.onnx --tree --depth 3
  calipers layers model.onnx -o layers.csv

In CSV, a text from the model that begins with =, +, - or @ has an apostrophe before it, so that no
spreadsheet runs it.";

pub(super) const SWEEP_EXAMPLES: &str = "\
Examples:
  calipers sweep model.onnx --dim sequence=128,256,512
  calipers sweep model.onnx --dim batch=1,8 --dim sequence=128,512 -o costs.csv
  calipers sweep model.onnx --input images=1x3x320x320,1x3x640x640";

pub(super) const DIAGRAM_EXAMPLES: &str = "\
Examples:
  calipers diagram model.onnx
  calipers diagram model.onnx -o network.mmd
  calipers diagram model.onnx --flow
  calipers diagram model.onnx --format json";

pub(super) const SCHEMA_EXAMPLES: &str = "\
Examples:
  calipers schema
  calipers schema layers";

pub(super) const DEMO_EXAMPLES: &str = "\
Examples:
  calipers demo
  calipers demo -o demo && calipers demo/model.onnx";

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  calipers completions bash > ~/.local/share/bash-completion/completions/calipers
  calipers completions fish > ~/.config/fish/completions/calipers.fish";

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  calipers man | man -l -
  calipers man inspect > calipers-inspect.1";

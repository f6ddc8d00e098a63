//! What the help shows after the options.

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers model.onnx                        what the model is, on one screen
  calipers model.onnx --format json          the same as JSON
  calipers inspect model.onnx -o card.json   the same into a file
  calipers card model.onnx -o card           a card to file next to the model
  calipers card models/ -o cards             one for each model, and an index
  calipers check model.onnx --fail-on error  what is risky; a gate for CI
  calipers compare a.onnx b.onnx             what changed between two models
  calipers shapes model.onnx --dim batch=8   every value's type and shape
  calipers layers model.onnx --top 10        the ten most expensive nodes
  calipers sweep model.onnx --dim batch=1,8  what it costs at several sizes
  calipers diagram model.onnx                boxes and arrows, in Mermaid
  calipers hardware model.onnx --device l4   where it will run, and how fast
  calipers scan models/ -o dataset           a table of every model in a folder
  calipers devices rtx-4090                  what a device can do
  calipers demo                              try it without a model
  calipers ./schema                          a model named like a command

Exit status:
  0  done
  1  the model cannot be read
  2  the arguments make no sense, or an output cannot be written
  3  the stated device misses a stated target, a finding is as severe as
     --fail-on says, or a gate of `compare` fails";

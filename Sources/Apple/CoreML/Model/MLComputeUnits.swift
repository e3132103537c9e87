/// The devices on which a model may run. The choice also determines the precision. The raw values are Apple's.
///
/// `.cpuOnly` computes in float32. The other values may compute in the type that is fastest on the machine, with
/// float32 sums. Classifiers always use float32, so that their probabilities have three correct digits. If all outputs
/// of a model are 8-bit images, the model may store feature maps as bfloat16, which needs half as much memory as
/// float32. The model does so on processors where converting to and from bfloat16 costs no time.
public enum MLComputeUnits: Int, Sendable, Hashable {
  /// The processor, in float32.
  case cpuOnly = 0
  /// The processor or a graphics processor, in the fastest type.
  case cpuAndGPU = 1
  /// All devices, in the fastest type.
  case all = 2
  /// The processor or a neural engine, in the fastest type.
  case cpuAndNeuralEngine = 3
}

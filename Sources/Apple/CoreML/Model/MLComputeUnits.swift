/// Where a model may compute, and with it how exactly. Raw values are Apple's.
///
/// `.cpuOnly` computes in float32. The others may compute in the fastest type that the machine
/// has for it, with float32 sums; classifiers stay with float32, so that their probabilities are
/// the model's to three digits. Models that give nothing but pictures of 8 bits may keep feature maps in
/// bfloat16 where that is as fast, for half of the memory.
public enum MLComputeUnits: Int, Sendable, Hashable {
  /// On the processor, in float32.
  case cpuOnly = 0
  /// On the processor or a graphics processor, in the fastest type.
  case cpuAndGPU = 1
  /// On everything that there is, in the fastest type.
  case all = 2
  /// On the processor or a neural engine, in the fastest type.
  case cpuAndNeuralEngine = 3
}

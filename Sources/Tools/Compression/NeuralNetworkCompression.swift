import Foundation
import ModelFormat

/// Compresses the layers of NeuralNetworks.
struct NeuralNetworkCompression {
  let settings: CompressionSettings

  /// The compressed form of a tensor.
  fileprivate enum Change: Sendable {
    case half([Float])
    case quantized(QuantizedTensor)
  }

  private struct Task: Sendable {
    let weights: Spec.WeightParams
    let descriptor: LayerWeights
    let bits: Int
  }

  /// Replaces the weights of the layers by compressed ones. Quantises the tensors concurrently on all cores.
  func apply(to layers: inout [Spec.NeuralNetworkLayer]) throws -> CompressionReport {
    var report = CompressionReport()
    var tasks: [Task?] = []
    layers.forEachWeights { weights, descriptor in
      let isChosen: Bool = settings.includes(descriptor.layer)
      tasks.append(
        isChosen
          ? Task(
            weights: weights, descriptor: descriptor, bits: settings.bits(of: descriptor.layer))
          : nil)
    }
    let changes: [Change?] = try concurrentMap(tasks) { task in
      try task.flatMap { try change($0) }
    }
    var index = 0
    layers.forEachWeights { weights, descriptor in
      let before: Int = weights.byteCount
      if let change = changes[index] { weights = weights.replaced(by: change.message) }
      if case .matrix(let grid) = descriptor.kind {
        report.tensors.append(
          .init(
            layer: descriptor.layer, count: grid.count, bits: weights.bitsPerNumber,
            bytesBefore: before, bytesAfter: weights.byteCount))
      }
      index += 1
    }
    return report
  }

  private func change(_ task: Task) throws -> Change? {
    let name = "Layer '\(task.descriptor.layer)'"
    // Weights in signed bytes are small already, and belong to layers that also quantise their input. Such weights are
    // not changed.
    guard task.weights.storage != .int8 else { return nil }
    switch task.descriptor.kind {
    case .vector:
      let values: [Float] = try task.weights.decodedFloats(
        count: task.weights.storedCount, name: name)
      return values.fitHalf && task.weights.storage == .float32 ? .half(values) : nil
    case .matrix(let grid):
      let values: [Float] = try task.weights.decodedFloats(
        count: grid.count, name: name, outputChannels: grid.channels,
        channelStride: grid.channelStride)
      guard values.allSatisfy(\.isFinite) else { return nil }
      if task.bits == 16 || grid.count < settings.smallest {
        return values.fitHalf || task.bits == 16 ? .half(values) : nil
      }
      guard task.weights.storage != .quantized || task.weights.bitsPerNumber > task.bits else {
        return nil
      }
      return .quantized(quantized(values, grid, task.bits))
    }
  }
}

extension NeuralNetworkCompression {
  /// Quantises weights with a scale per channel, or with one lookup table for the complete tensor.
  private func quantized(_ values: [Float], _ grid: WeightGrid, _ bits: Int) -> QuantizedTensor {
    switch settings.mode {
    case .linear, .linearSymmetric:
      QuantizedTensor(
        values,
        linear: LinearScale.IntegerFormat(
          bits: bits, isSymmetric: settings.mode == .linearSymmetric),
        grid.ofChannels)
    case .kMeans:
      QuantizedTensor(values, bits: bits, grid.whole) { KMeans($0).table(1 << bits) }
    case .table(let table):
      QuantizedTensor(values, bits: bits, grid.whole) { _ in table.sorted() }
    }
  }
}

extension NeuralNetworkCompression.Change {
  /// The compressed numbers as the message that the file stores.
  fileprivate var message: Spec.WeightParams {
    switch self {
    case .half(let values): return Spec.WeightParams(float16: values)
    case .quantized(let tensor):
      var weights = Spec.WeightParams()
      var quantization = Spec.QuantizationParams()
      quantization.numberOfBits = UInt64(tensor.bits)
      switch tensor.meaning {
      case .tables(let tables):
        var table = Spec.LookUpTableQuantizationParams()
        table.floatValue = FloatValues(tables[0])
        quantization.quantizationType = .lookupTableQuantization(table)
        weights.rawValue = ByteValues(tensor.packedFromHighBits())
      case .linear(let scales):
        // NeuralNetworks store unsigned integers. So the smallest value of the signed type is subtracted from signed
        // integers.
        let least = Int8(truncatingIfNeeded: tensor.isSigned ? -(1 << (tensor.bits - 1)) : 0)
        var shifted: QuantizedTensor = tensor
        shifted.integers = tensor.integers.map { $0 &- least }
        var linear = Spec.LinearQuantizationParams()
        linear.scale = FloatValues(scales.map(\.scale))
        linear.bias = FloatValues(scales.map { $0.value(Float(least)) })
        quantization.quantizationType = .linearQuantization(linear)
        weights.rawValue = ByteValues(shifted.packedFromHighBits())
      }
      weights.quantization = quantization
      return weights
    }
  }
}

extension Spec.WeightParams {
  /// Returns `other` with the unknown fields of this message.
  fileprivate func replaced(by other: Spec.WeightParams) -> Spec.WeightParams {
    var result: Spec.WeightParams = other
    result.unknownFields = unknownFields
    return result
  }

  /// How many bytes the numbers take in the file.
  var byteCount: Int {
    var total: Int = floatValue.count * 4 + float16Value.count + rawValue.count + int8RawValue.count
    switch quantization?.quantizationType {
    case .linearQuantization(let linear)?: total += (linear.scale.count + linear.bias.count) * 4
    case .lookupTableQuantization(let table)?: total += table.floatValue.count * 4
    case nil: break
    }
    return total
  }

  /// The width of a number in the file.
  var bitsPerNumber: Int {
    switch storage {
    case .float16: return 16
    case .quantized: return Int(clamping: quantization?.numberOfBits ?? 8)
    case .int8: return 8
    default: return 32
    }
  }
}

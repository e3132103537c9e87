import Foundation
import ModelFormat

/// Compresses the layers of NeuralNetworks.
struct NeuralNetworkCompression {
  let settings: CompressionSettings

  /// What happens to a tensor.
  fileprivate enum Change: Sendable {
    case half([Float])
    case coded(CodedTensor)
  }

  private struct Task: Sendable {
    let weights: Spec.WeightParams
    let place: LayerWeights
    let bits: Int
  }

  /// Puts compressed weights into the layers; all tensors are coded at the same time on all cores.
  func apply(to layers: inout [Spec.NeuralNetworkLayer]) throws -> CompressionReport {
    var report = CompressionReport()
    var tasks: [Task?] = []
    layers.forEachWeights { weights, place in
      let isChosen: Bool = settings.includes(place.layer)
      tasks.append(
        isChosen
          ? Task(weights: weights, place: place, bits: settings.bits(of: place.layer)) : nil)
    }
    let changes: [Change?] = try concurrentMap(tasks) { task in
      try task.flatMap { try change($0) }
    }
    var index = 0
    layers.forEachWeights { weights, place in
      let before: Int = weights.byteCount
      if let change = changes[index] { weights = weights.replaced(by: change.message) }
      if case .matrix(let grid) = place.kind {
        report.tensors.append(
          .init(
            layer: place.layer, count: grid.count, bits: weights.bitsPerNumber,
            bytesBefore: before, bytesAfter: weights.byteCount))
      }
      index += 1
    }
    return report
  }

  private func change(_ task: Task) throws -> Change? {
    let name = "Layer '\(task.place.layer)'"
    // Signed bytes belong to layers that quantise their input too; they are small already.
    guard task.weights.storage != .int8 else { return nil }
    switch task.place.kind {
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
      return .coded(code(values, grid, task.bits))
    }
  }
}

extension NeuralNetworkCompression {
  /// A scale per channel, or one table for all.
  private func code(_ values: [Float], _ grid: WeightGrid, _ bits: Int) -> CodedTensor {
    switch settings.mode {
    case .linear, .linearSymmetric:
      CodedTensor(
        values,
        linear: LinearScale.Codes(bits: bits, isSymmetric: settings.mode == .linearSymmetric),
        grid.ofChannels)
    case .kMeans:
      CodedTensor(values, bits: bits, grid.whole) { KMeans($0).table(1 << bits) }
    case .table(let table):
      CodedTensor(values, bits: bits, grid.whole) { _ in table.sorted() }
    }
  }
}

extension NeuralNetworkCompression.Change {
  /// The numbers as a message.
  fileprivate var message: Spec.WeightParams {
    switch self {
    case .half(let values): return Spec.WeightParams(float16: values)
    case .coded(let tensor):
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
        // Codes of NeuralNetworks have no sign: those that have one begin at the smallest.
        let least = Int8(truncatingIfNeeded: tensor.isSigned ? -(1 << (tensor.bits - 1)) : 0)
        var shifted: CodedTensor = tensor
        shifted.codes = tensor.codes.map { $0 &- least }
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
  /// Other numbers in the place of these, with whatever else the message says.
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

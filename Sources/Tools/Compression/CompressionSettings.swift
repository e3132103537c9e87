import Platform

/// The settings with which the weights of a model are compressed.
public struct CompressionSettings: Sendable {
  /// The method that quantises numbers to few bits.
  public enum Mode: Sendable, Hashable {
    /// A number is `scale · integer + bias`. Each output channel, or each group of weights in a channel, has its own
    /// scale and bias.
    case linear
    /// A number is `scale · integer`, with signed integers. Each output channel, or each group, has its own scale, as
    /// for `linear`.
    case linearSymmetric
    /// A number is an entry in a lookup table of cluster means. Each tensor, or each group of channels, has its own
    /// table.
    case kMeans
    /// A number is an entry in the given lookup table, which has `1 << bits` numbers.
    case table([Float])

    /// The name of the mode on the command line.
    public var name: String {
      switch self {
      case .linear: "linear"
      case .linearSymmetric: "linear-symmetric"
      case .kMeans: "kmeans"
      case .table: "lut"
      }
    }
  }

  /// The width of a weight in bits: 16 for float16, or 8, 6, 4, 3, 2, 1. ML Programs have no integers of 5 and 7 bits.
  public var bits: Int
  /// The method of quantisation. Ignored for 16 bits.
  public var mode: Mode
  /// How many adjacent weights of a channel share a scale, or how many adjacent channels share a table. If nil, all
  /// weights of a channel share a scale, and all channels share a table. Only ML Programs have groups.
  public var groupSize: Int?
  /// The share of each tensor's weights that becomes zero and is not stored: at least 0 and below 1. The weights with
  /// the smallest magnitudes become zero. Nil stores all weights. Only ML Programs support a sparsity.
  public var sparsity: Double?
  /// The names of the layers to compress. Nil for all layers.
  public var layers: Set<String>?
  /// The widths of the layers whose width in bits differs from ``bits``, by the layers' names.
  public var widths: [String: Int] = [:]
  /// A tensor is quantised if it has at least this many elements. Smaller tensors of a NeuralNetwork are only converted
  /// to float16. Those of an ML Program are not changed.
  public var smallest = 1024

  /// Creates settings with a width of `bits` per weight.
  public init(bits: Int, mode: Mode = .linear) {
    self.bits = bits
    self.mode = mode
  }

  /// Returns the width of a layer's weights in bits.
  func bits(of layer: String) -> Int { widths[layer] ?? bits }

  /// Returns whether the settings compress a layer.
  func includes(_ layer: String) -> Bool { layers?.contains(layer) ?? true }

  /// Throws if a setting is out of its range.
  func check() throws {
    for width in [bits] + widths.values where !(1...8).contains(width) && width != 16 {
      throw CompressionError("The width is \(width) bits, expected 16 or 1 to 8.")
    }
    if let groupSize, groupSize < 1 {
      throw CompressionError("The group size is \(groupSize), expected 1 or more.")
    }
    if let sparsity, !(sparsity >= 0 && sparsity < 1) {
      throw CompressionError("The sparsity is \(sparsity), expected 0 to below 1.")
    }
    if case .table(let table) = mode, bits <= 8, table.count != 1 << bits {
      throw CompressionError(
        "The table has \(table.count) numbers, expected \(1 << bits) for \(bits) bits.")
    }
  }
}

/// The reason why a model cannot be compressed, in one sentence.
public struct CompressionError: Error, Sendable, CustomStringConvertible {
  /// The reason, in one sentence.
  public let description: String

  init(_ sentence: String) { description = ErrorSentence.tidied(sentence) }
}

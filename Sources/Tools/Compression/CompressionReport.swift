/// What became of a model's weights.
public struct CompressionReport: Sendable, Codable {
  /// A tensor of weights.
  public struct Tensor: Sendable, Codable {
    /// The name of its layer.
    public let layer: String
    /// How many numbers it has.
    public let count: Int
    /// The width of a number in bits.
    public let bits: Int
    /// Its size in the file, with scales or tables, in bytes.
    public let bytesBefore: Int
    /// The size after compression, in bytes.
    public let bytesAfter: Int
  }

  /// The tensors in the order of the layers, but for biases and what norms multiply and add.
  public internal(set) var tensors: [Tensor] = []

  /// How many numbers there are.
  public var count: Int { tensors.reduce(0) { $0 + $1.count } }
}

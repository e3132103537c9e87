/// The sizes of a model's weights before and after compression.
public struct CompressionReport: Sendable, Codable {
  /// A tensor of weights.
  public struct Tensor: Sendable, Codable {
    /// The name of the layer that the tensor belongs to.
    public let layer: String
    /// How many numbers the tensor has.
    public let count: Int
    /// The width of a number in bits after compression.
    public let bits: Int
    /// The size of the tensor in the original file, with scales or tables, in bytes.
    public let bytesBefore: Int
    /// The size of the tensor after compression, with scales or tables, in bytes.
    public let bytesAfter: Int
  }

  /// The compressed tensors in the order of the layers. Biases, and the scales and offsets of norms, are not listed.
  public internal(set) var tensors: [Tensor] = []

  /// How many numbers all listed tensors have together.
  public var count: Int { tensors.reduce(0) { $0 + $1.count } }
}

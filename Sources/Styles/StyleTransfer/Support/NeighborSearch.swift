import Engine
import Operators

/// Finds, for columns of features of a picture, the most similar columns of a painting.
///
/// Similarity is the cosine of the angle between two columns after a mean was subtracted from each.
///
/// **Source:** Kolkin, Kucera, Paris, Sýkora, Shechtman and Shakhnarovich, “Neural Neighbor Style Transfer”,
/// arXiv:2203.13215.
struct NeighborSearch {
  /// The result of a search.
  struct Result {
    /// For each column of the picture, the index of the painting's most similar column. Of equal ones, the first.
    fileprivate(set) var indices: [Int]
    /// For each column of the picture, the largest cosine with a column of the painting.
    fileprivate(set) var cosines: [Float]
    /// For each column of the painting, the largest cosine with a column of the picture.
    fileprivate(set) var covered: [Float]
  }

  private let candidates: FeatureColumns
  private let means: [Float]
  private let options: ExecutionOptions

  /// The number of the picture's columns in one matrix product.
  static let queryBlock = 512
  /// The number of the painting's columns in one matrix product. Only this many are copied, centred and scaled at a
  /// time.
  private static let candidateBlock = 2048

  /// Prepares the columns of a painting.
  init(in candidates: FeatureColumns, options: ExecutionOptions) {
    self.candidates = candidates
    means = candidates.means
    self.options = options
  }

  /// Searches the most similar columns.
  ///
  /// - Parameters:
  ///   - columns: The picture's columns, which are centred in place. Pass them with `consume` to avoid a copy.
  ///   - mean: The mean that is subtracted from the picture's columns. Nil for the painting's mean.
  func nearest(to columns: consuming FeatureColumns, centredOn mean: [Float]? = nil) throws
    -> Result
  {
    columns.subtract(mean ?? means)
    columns.normalize()
    let (count, total): (Int, Int) = (columns.count, candidates.count)
    let sizes: (queries: Int, candidates: Int) = (
      min(Self.queryBlock, count), min(Self.candidateBlock, total)
    )
    var result = Result(
      indices: [Int](repeating: 0, count: count),
      cosines: [Float](repeating: -.infinity, count: count),
      covered: [Float](repeating: -.infinity, count: total))
    let types: [TensorType] = [
      TensorType([columns.rows, sizes.queries]), TensorType([columns.rows, sizes.candidates]),
    ]
    let network: Network = try network(types)
    try network.plan(for: types).withSession { (session: Session) in
      for start in Self.starts(total, sizes.candidates) {
        let block: FloatTensor = block(start..<(start + sizes.candidates))
        for first in Self.starts(count, sizes.queries) {
          var part = [Float](repeating: 0, count: columns.rows * sizes.queries)
          columns.copy(first..<(first + sizes.queries), to: &part)
          // A run may overwrite the memory of its inputs, so both inputs are written before each run.
          FloatTensor(types[0].shape, part).write(to: session.input(0))
          block.write(to: session.input(1))
          try session.run()
          let outputs: [[Float]] = try (0..<3).map { FloatTensor(try session.output($0)).values }
          for index in 0..<sizes.queries where outputs[0][index] > result.cosines[first + index] {
            result.cosines[first + index] = outputs[0][index]
            result.indices[first + index] = start + Int(outputs[1][index])
          }
          for index in 0..<sizes.candidates {
            result.covered[start + index] = max(result.covered[start + index], outputs[2][index])
          }
        }
      }
    }
    return result
  }

  /// The first column of each block. The last block overlaps the one before it, so that all have the same size.
  private static func starts(_ count: Int, _ size: Int) -> [Int] {
    stride(from: 0, to: count, by: size).map { min($0, count - size) }
  }

  /// Returns some of the painting's columns, centred and of length 1, as a matrix.
  private func block(_ range: Range<Int>) -> FloatTensor {
    var values = [Float](repeating: 0, count: candidates.rows * range.count)
    candidates.copy(range, to: &values)
    var columns = FeatureColumns(
      channels: candidates.channels, count: range.count, values: consume values)
    columns.subtract(means)
    columns.normalize()
    return FloatTensor([columns.rows, columns.count], columns.values)
  }

  /// Makes the network that computes the cosines of two blocks and their maxima.
  private func network(_ types: [TensorType]) throws -> Network {
    var graph = Graph()
    let queries: Graph.ValueID = graph.addInput("queries", types[0].shape)
    let block: Graph.ValueID = graph.addInput("candidates", types[1].shape)
    let cosines: Graph.ValueID = try graph.apply(
      BatchedMatMulOperator(transposesLeft: true), to: [queries, block], name: "cosines")
    graph.outputs = [
      try graph.apply(ReduceAxesOperator(.maximum, axes: [1]), to: [cosines], name: "nearest"),
      try graph.apply(
        ReduceAxesOperator(.indexOfMaximum, axes: [1]), to: [cosines], name: "index"),
      try graph.apply(ReduceAxesOperator(.maximum, axes: [0]), to: [cosines], name: "covered"),
    ]
    return Network(graph, passes: GraphPasses.standard, options: options)
  }
}

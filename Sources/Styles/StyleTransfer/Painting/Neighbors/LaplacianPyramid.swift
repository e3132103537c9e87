import Engine
import Operators

/// A picture as the sum of bands of different resolutions. An optimiser that changes the bands moves large areas in a
/// few steps, because one value of a coarse band changes many pixels.
///
///     picture = band₀ + enlarged(band₁ + enlarged(band₂ + …))
///
/// Each band has half the sides of the previous one, rounded up. Pictures are enlarged and reduced bilinearly.
///
/// **Source:** Burt and Adelson, “The Laplacian Pyramid as a Compact Image Code”, 10.1109/TCOM.1983.1095851; as the
/// variables of style transfer: Kolkin et al., “Neural Neighbor Style Transfer”, arXiv:2203.13215.
struct LaplacianPyramid: Equatable {
  /// The shape `[1, 3, height, width]` of each band, fine to coarse.
  let shapes: [Shape]

  /// The maximum number of bands.
  private static let mostBands = 6
  /// A band with a side below this one, in pixels, is not reduced further.
  private static let leastSide = 16

  /// Creates the pyramid for pictures of the given size.
  init(width: Int, height: Int) {
    var shapes: [Shape] = [[1, 3, height, width]]
    while shapes.count < Self.mostBands, let last = shapes.last,
      min(last[2], last[3]) >= Self.leastSide
    {
      shapes.append([1, 3, (last[2] + 1) / 2, (last[3] + 1) / 2])
    }
    self.shapes = shapes
  }

  /// The number of values in all bands.
  var count: Int { shapes.reduce(0) { $0 + $1.count } }

  /// Adds an input for each band to a graph, fine to coarse. Returns the inputs, and the picture that the graph
  /// computes from them.
  func append(to graph: inout Graph) throws -> (bands: [Graph.ValueID], picture: Graph.ValueID) {
    let bands: [Graph.ValueID] = shapes.enumerated().map { index, shape in
      graph.addInput("band \(index)", shape)
    }
    var sum: Graph.ValueID = bands[bands.count - 1]
    for index in bands.indices.dropLast().reversed() {
      let enlarged: Graph.ValueID = try resize(
        sum, to: shapes[index], in: &graph, name: "enlarged \(index)")
      sum = try graph.apply(
        AddOperator(inputCount: 2), to: [bands[index], enlarged], name: "picture \(index)")
    }
    return (bands, sum)
  }

  /// Computes the bands of a picture `[1, 3, height, width]`, fine to coarse.
  func bands(of picture: FloatTensor, options: ExecutionOptions) throws -> [[Float]] {
    var graph = Graph()
    var rest: Graph.ValueID = graph.addInput("picture", picture.shape)
    for index in shapes.indices.dropLast() {
      let small: Graph.ValueID = try resize(
        rest, to: shapes[index + 1], in: &graph, name: "reduced \(index)")
      let enlarged: Graph.ValueID = try resize(
        small, to: shapes[index], in: &graph, name: "enlarged \(index)")
      graph.outputs.append(
        try graph.apply(
          BinaryFunctionOperator(.subtract), to: [rest, enlarged], name: "band \(index)"))
      rest = small
    }
    guard shapes.count > 1 else { return [picture.values] }
    graph.outputs.append(rest)
    return try graph.run([picture.values], options: options).map(\.values)
  }

  /// Computes the picture `[1, 3, height, width]` of the values of all bands, fine to coarse.
  func picture(of values: [Float], options: ExecutionOptions) throws -> FloatTensor {
    var graph = Graph()
    let (_, picture) = try append(to: &graph)
    graph.outputs = [picture]
    return try graph.run(split(values), options: options)[0]
  }

  /// Splits a vector of all values into the bands, fine to coarse.
  func split(_ values: [Float]) -> [[Float]] {
    precondition(values.count == count, "one value for each value of the bands")
    var start: Int = 0
    return shapes.map { shape in
      defer { start += shape.count }
      return Array(values[start..<(start + shape.count)])
    }
  }

  private func resize(
    _ value: Graph.ValueID, to shape: Shape, in graph: inout Graph, name: String
  ) throws -> Graph.ValueID {
    try graph.apply(
      ResizeBilinearOperator(height: shape[2], width: shape[3], grid: .pixelCentres), to: [value],
      name: name)
  }
}

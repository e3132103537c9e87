import Engine
import Imaging
import Testing

@testable import StyleTransfer

/// Tests the parts of painting with neural neighbours.
struct NeighborTests {
  private let hypercolumns: Hypercolumns

  init() throws {
    hypercolumns = Hypercolumns(
      network: try FeatureNetwork(SmallFeatures().model(), name: "small"),
      layers: ["relu1", "relu2"])
  }

  private func pixels(_ seed: UInt64, width: Int, height: Int) -> FloatTensor {
    var random = SmallRandom(seed: seed)
    return FloatTensor(
      [1, 3, height, width], (0..<3 * width * height).map { _ in random.next() * 255 })
  }

  @Test(arguments: [(48, 40), (33, 17), (16, 16), (8, 8)])
  func `the bands of a picture add up to it`(width: Int, height: Int) throws {
    let picture: FloatTensor = pixels(1, width: width, height: height)
    let pyramid = LaplacianPyramid(width: width, height: height)
    let bands: [Float] = try pyramid.bands(of: picture, options: ExecutionOptions()).flatMap { $0 }
    #expect(bands.count == pyramid.count)
    let sum: FloatTensor = try pyramid.picture(of: bands, options: ExecutionOptions())
    #expect(zip(sum.values, picture.values).allSatisfy { abs($0 - $1) < 1e-3 })
  }

  @Test(arguments: [90, 2100])
  func `the nearest columns are those of a plain search`(candidateCount: Int) throws {
    var random = SmallRandom(seed: 3)
    func columns(_ count: Int) -> FeatureColumns {
      FeatureColumns(
        channels: [3, 4], count: count, values: (0..<7 * count).map { _ in random.next() })
    }
    // The queries, and the candidates of the second case, need several matrix products.
    let (candidates, queries) = (columns(candidateCount), columns(1100))
    let found: NeighborSearch.Result = try NeighborSearch(
      in: candidates, options: ExecutionOptions()
    ).nearest(to: queries, centredOn: queries.means)
    func directions(_ columns: FeatureColumns) -> [[Double]] {
      let means: [Double] = (0..<7).map { row in
        (0..<columns.count).reduce(0) {
          $0 + Double(columns.values[row * columns.count + $1])
        } / Double(columns.count)
      }
      return (0..<columns.count).map { column in
        let centred: [Double] = (0..<7).map {
          Double(columns.values[$0 * columns.count + column]) - means[$0]
        }
        let length: Double = centred.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return centred.map { $0 / length }
      }
    }
    let (own, others) = (directions(queries), directions(candidates))
    var covered = [Double](repeating: -1, count: candidateCount)
    #expect(found.indices.count == 1100)
    for (query, direction) in own.enumerated() {
      let cosines: [Double] = others.map { zip($0, direction).reduce(0) { $0 + $1.0 * $1.1 } }
      let best: Double = cosines.max() ?? 0
      #expect(best - cosines[found.indices[query]] < 1e-5, "query \(query)")
      #expect(abs(best - Double(found.cosines[query])) < 1e-5, "query \(query)")
      for index in 0..<candidateCount { covered[index] = max(covered[index], cosines[index]) }
    }
    #expect(zip(covered, found.covered).allSatisfy { abs($0 - Double($1)) < 1e-5 })
  }

  @Test func `columns are taken, replaced, joined and mixed by position`() {
    let first = FeatureColumns(channels: [1, 1], count: 3, values: [1, 2, 3, 10, 20, 30])
    let second = FeatureColumns(channels: [1, 1], count: 2, values: [4, 5, 40, 50])
    #expect(first.taking([2, 0]).values == [3, 1, 30, 10])
    #expect(first.joined(with: second).values == [1, 2, 3, 4, 5, 10, 20, 30, 40, 50])
    var replaced: FeatureColumns = first
    replaced.replace([0, 2], with: second)
    #expect(replaced.values == [4, 2, 5, 40, 20, 50])
    var mixed: FeatureColumns = second
    mixed.mix(0.5, of: FeatureColumns(channels: [1, 1], count: 2, values: [0, 1, 0, 10]))
    #expect(mixed.values == [2, 3, 20, 30])
  }

  @Test func `the gradient of both objectives is the slope of the loss`() throws {
    let picture: FloatTensor = pixels(4, width: 24, height: 16)
    let painting: FloatTensor = pixels(5, width: 16, height: 24)
    let options = ExecutionOptions()
    let pyramid = LaplacianPyramid(width: 24, height: 16)
    // The layers are before the activation. After a ReLU, all channels of a position may be 0, and the cosine has no
    // gradient at 0.
    let columns = Hypercolumns(network: hypercolumns.network, layers: ["conv1", "conv2"])
    let targets: FeatureColumns = try columns.columns(of: painting, options: options)
    let objectives: [any Objective] = [
      try NeighborObjective(
        pyramid, targets: targets, hypercolumns: columns, options: options),
      // There are fewer positions than samples. So every evaluation compares the same positions.
      try LayerNeighborObjective(
        pyramid,
        groups: [
          .init(
            paintings: [try PaintingParts(Picture(width: 16, height: 24, planes: painting.values))],
            mask: nil)
        ],
        network: columns.network, layers: columns.layers, samples: 4096, seed: 1,
        options: options),
    ]
    let point: [Float] = try pyramid.bands(of: picture, options: options).flatMap { $0 }
    for objective in objectives {
      var (gradient, unused): ([Float], [Float]) = ([], [])
      _ = try objective.evaluate(at: point, gradient: &gradient)
      // In the direction of the gradient, the slope equals the gradient's length.
      let length: Double = Vectors.dot(gradient, gradient).squareRoot()
      let direction: [Float] = gradient.map { $0 / Float(length) }
      let forward: Double = try objective.evaluate(
        at: Vectors.sum(point, 0.5, direction), gradient: &unused)
      let backward: Double = try objective.evaluate(
        at: Vectors.sum(point, -0.5, direction), gradient: &unused)
      let slope: Double = forward - backward
      #expect(
        abs(length - slope) < 0.05 * length,
        "\(type(of: objective)): \(length), expected \(slope)")
    }
  }

  @Test func `the border of a canvas mirrors the picture and is cropped again`() throws {
    let picture = try Picture(width: 5, height: 3, pixels: (0..<45).map { UInt8($0) })
    let canvas = PaintingCanvas(picture, margin: 4, alignment: 8)
    #expect(canvas.pixels.shape == [1, 3, 16, 16])
    #expect(try canvas.picture() == picture)
    // Eight values of the first row of the red plane, after the margin: columns 0 to 4, and three mirrored columns.
    let row: [Float] = Array(canvas.pixels.values[(4 * 16 + 4)..<(4 * 16 + 12)])
    #expect(row == [0, 3, 6, 9, 12, 9, 6, 3])
  }

  @Test func `the parts of a large painting have the columns of the complete one`() throws {
    let size = PictureSize(width: 920, height: 480)
    let painting = try Picture(
      width: size.width, height: size.height,
      planes: pixels(6, width: size.width, height: size.height).values)
    let whole: FeatureColumns = try hypercolumns.columns(
      of: FloatTensor([1, 3, size.height, size.width], painting.planes), options: ExecutionOptions()
    )
    let parts = try PaintingParts(painting)
    #expect(parts.parts.count == 6)
    #expect(parts.shares(of: 1000).reduce(0, +) == 1000)
    var (left, top, count): (Int, Int, Int) = (0, 0, 0)
    for part in parts.parts {
      let (height, width): (Int, Int) = (part.pixels.shape[2] / 4, part.pixels.shape[3] / 4)
      // A tile and its border are smaller than the largest picture that is not divided.
      #expect(16 * height * width < 660 * 660)
      let columns: FeatureColumns = try hypercolumns.columns(
        of: part.pixels, options: ExecutionOptions()
      ).taking(part.positions(height: height, width: width))
      let (rows, across): (Int, Int) = (part.inner.rows.count, part.inner.columns.count)
      let expected: FeatureColumns = whole.taking(
        (top / 4..<(top + rows) / 4).flatMap { row in
          (left / 4..<(left + across) / 4).map { row * (size.width / 4) + $0 }
        })
      #expect(zip(columns.values, expected.values).allSatisfy { abs($0 - $1) < 1e-5 })
      count += columns.count
      left += across
      if left == size.width { (left, top) = (0, top + rows) }
    }
    #expect(count == whole.count)
  }

  @Test func `comparing layers separately keeps one copy of the features in memory`() throws {
    let (width, height): (Int, Int) = (320, 256)
    let pyramid = LaplacianPyramid(width: width, height: height)
    let painting = try Picture(
      width: 64, height: 64, planes: pixels(7, width: 64, height: 64).values)
    let objective = try LayerNeighborObjective(
      pyramid, groups: [.init(paintings: [try PaintingParts(painting)], mask: nil)],
      network: hypercolumns.network, layers: hypercolumns.layers, samples: 256, seed: 1,
      options: ExecutionOptions())
    // relu1 has 4 channels, relu2 has 5 at half of the sides.
    let area: Int = width * height
    let (first, second): (Int, Int) = (4 * area * 4, 5 * area / 4 * 4)
    let products: Int = 2 * 256 * 64 * 64 * 4
    // The plan's tables and the candidates take 2.2 MB. Stored zeros for the gradients of both layers would add 1.7 MB.
    #expect(objective.constantByteCount < 2 * first, "\(objective.constantByteCount)")
    // The features stay for the gradient. Besides them, the rows or the gradients of one layer, and the picture's bands
    // and their gradients, are in memory.
    let bound: Int = first + second + 4 * first + 4 * 3 * area * 4 + 2 * products
    #expect(objective.arenaByteCount < bound, "\(objective.arenaByteCount) of \(bound)")
  }
}

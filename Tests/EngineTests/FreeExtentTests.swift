import Engine
import Operators
import Testing

@Suite("A value that depends on a free extent")
struct FreeExtentTests {
  /// A graph with two inputs: an image of any height and width, and a vector of the image's extents.
  private struct Picture {
    let builder = GraphBuilder()
    let value: Graph.ValueID
    let sizes: Graph.ValueID

    init() throws {
      value = builder.addInput("picture", extents: [1, 3, Extent(from: 1), Extent(from: 1)])
      sizes = try builder.add(GetShapeOperator(), value, name: "sizes")
    }

    func number(_ value: Double) -> Graph.ValueID {
      builder.addConstant(
        ReferenceTensor([1], integerValues: [Int64(value)], .int32), name: "\(value)")
    }

    func size(_ axis: Int) throws -> Graph.ValueID {
      try builder.add(GatherOperator(axis: 0), sizes, number(Double(axis)), name: "size \(axis)")
    }

    func apply(
      _ function: BinaryFunction, _ left: Graph.ValueID, _ right: Graph.ValueID
    ) throws -> Graph.ValueID {
      try builder.add(BinaryFunctionOperator(function), left, right, name: function.name)
    }
  }

  @Test(
    "A value that depends on a free extent is not a constant, even if two sizes give the same value",
    arguments: [
      (BinaryFunction.modulo, 8.0), (.minimum, 16), (.maximum, 5000), (.isGreater, 50),
      (.isEqual, 224), (.isEqual, 448), (.floorDivide, 100), (.isLess, 100_000),
    ])
  func computedNumbers(function: BinaryFunction, other: Double) throws {
    let picture = try Picture()
    let made = try picture.apply(function, picture.size(2), picture.number(other))
    #expect(picture.builder.constant(of: made) == nil)
    #expect(picture.builder.extents(of: made) == [1])
  }

  @Test("A difference of two free extents is not a constant, even if both may be equal")
  func differences() throws {
    let picture = try Picture()
    let made = try picture.apply(.subtract, picture.size(2), picture.size(3))
    #expect(picture.builder.constant(of: made) == nil)
  }

  @Test("A computed extent is not known, even if two sizes give the same value")
  func extents() throws {
    let picture = try Picture()
    let builder = picture.builder
    func sliced(_ slice: AxisSlice) throws -> [Int?]? {
      let slices: [AxisSlice] = [AxisSlice(), AxisSlice(), slice, AxisSlice()]
      let part = try builder.add(
        SliceStaticOperator(slices: slices), picture.value, name: "\(slice)")
      return builder.extents(of: part)
    }
    #expect(try sliced(AxisSlice(end: 16)) == [1, 3, nil, nil])
    #expect(try sliced(AxisSlice(begin: -16)) == [1, 3, nil, nil])
    #expect(try sliced(AxisSlice(begin: 3000)) == [1, 3, nil, nil])
    let missing = try picture.apply(.modulo, picture.size(2), picture.number(8))
    let nothing = picture.number(0)
    let amounts = try builder.add(
      ConcatNDOperator(axis: 0),
      [nothing, nothing, nothing, nothing, nothing, missing, nothing, nothing],
      name: "amounts")[0]
    let padded = try builder.add(
      ConstantPadOperator(value: 0, amounts: nil), picture.value, amounts, name: "padded")
    #expect(builder.extents(of: padded) == [1, 3, nil, nil])
  }

  @Test("A free extent leaves the other extents and elements known")
  func others() throws {
    let picture = try Picture()
    let builder = picture.builder
    #expect(try builder.constant(of: picture.size(1))?.floats() == [3])
    let target = try builder.add(
      ConcatNDOperator(axis: 0), [picture.size(0), picture.size(1), picture.number(-1)],
      name: "target")[0]
    let flat = try builder.add(ReshapeDynamicOperator(), picture.value, target, name: "flat")
    #expect(builder.extents(of: flat) == [1, 3, nil])
    let left = try builder.add(
      ReduceAxesOperator(.sum, axes: [2, 3], keepsAxes: true), picture.value, name: "sums")
    #expect(builder.extents(of: left) == [1, 3, 1, 1])
  }

  @Test("Values on two paths with the same free extent can be concatenated")
  func joiningPaths() throws {
    let picture = try Picture()
    let builder = picture.builder
    let halves = try (0..<2).map { index in
      try builder.add(
        SliceStaticOperator(slices: [
          AxisSlice(), AxisSlice(), AxisSlice(stride: 2), AxisSlice(stride: 2),
        ]), picture.value, name: "half \(index)")
    }
    let joined = try builder.add(ConcatNDOperator(axis: 1), halves, name: "joined")[0]
    #expect(builder.extents(of: joined) == [1, 6, nil, nil])
  }

  @Test("A computed extent is bounded by the sizes that the input allows")
  func bounds() throws {
    let builder = GraphBuilder()
    let picture = builder.addInput("picture", extents: [1, 3, Extent(from: 64, to: 1024)])
    let slices: [AxisSlice] = [AxisSlice(), AxisSlice(), AxisSlice(end: 16)]
    let part = try builder.add(SliceStaticOperator(slices: slices), picture, name: "part")
    #expect(builder.extents(of: part) == [1, 3, 16])
  }
}

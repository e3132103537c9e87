import Engine
import Testing

@Suite struct ShapeProgramTests {
  /// Builds shape → gather → arithmetic → concat → reshape, for a length that is unknown to the program.
  @Test(arguments: [2, 4, 10]) func `A shape is computed from the input's shape`(length: Int) throws
  {
    var program = ShapeProgram()
    program.input("x", [1, nil, 3])
    program.add("shape", ["x": .name("x")], ("s", [3], .int32))
    program.add(
      "gather", ["x": .name("s"), "indices": .ints([1]), "axis": .int(0)], ("n", [1], .int32))
    program.add("floor_div", ["x": .name("n"), "y": .int(2)], ("half", [1], .int32))
    program.add("fill", ["shape": .ints([1]), "value": .int(6)], ("six", [1], .int32))
    program.add(
      "concat", ["values": .names(["half", "six"]), "axis": .int(0)], ("target", [2], .int32))
    program.add("reshape", ["x": .name("x"), "shape": .name("target")], ("y", [nil, 6], .float32))
    let made = try program.run("y", of: .counting([1, length, 3]))
    #expect(made == [.counting([length / 2, 6])])
    let planned = try program.network(["y"]).optimizedGraph(for: [TensorType([1, length, 3])])
    #expect(planned.nodes.map(\.operation.name) == ["ReshapeStatic"])
  }

  @Test func `A gather with a scalar index drops the axis`() throws {
    var program = ShapeProgram()
    program.input("x", [4])
    program.add("gather", ["x": .name("x"), "indices": .int(2)], ("y", [], .float32))
    #expect(try program.run("y", of: .counting([4])) == [ReferenceTensor([], [2])])
  }

  @Test func `A slice that squeezes every axis is a scalar`() throws {
    var program = ShapeProgram()
    program.input("x", [2, 3])
    program.add(
      "slice_by_index",
      [
        "x": .name("x"), "begin": .ints([1, -1]), "end": .ints([0, 0]),
        "squeeze_mask": .bools([true, true]),
      ], ("y", [], .float32))
    program.add("expand_dims", ["x": .name("y"), "axes": .ints([0])], ("z", [1], .float32))
    #expect(
      try program.run("y", "z", of: .counting([2, 3])) == [
        ReferenceTensor([], [5]), ReferenceTensor([1], [5]),
      ])
  }

  @Test func `Zeros in a reshape count from the last axis since iOS 17`() throws {
    var program = ShapeProgram(.iOS17)
    program.input("x", [2, 5])
    program.add(
      "reshape", ["x": .name("x"), "shape": .ints([1, 0, -1, 0])], ("y", [1, 1, 2, 5], .float32))
    #expect(try program.run("y", of: .counting([2, 5])) == [.counting([1, 1, 2, 5])])
    program = ShapeProgram(.iOS16)
    program.input("x", [2, 5])
    program.add(
      "reshape", ["x": .name("x"), "shape": .ints([1, 0, -1, 0])], ("y", [1, 1, 2, 5], .float32))
    let error = #expect(throws: EngineError.self) { try program.run("y", of: .counting([2, 5])) }
    #expect(error?.message.contains("has 4 sizes with a 0 among them") == true)
  }

  @Test func `Nonzero elements are counted when the network runs`() throws {
    var program = ShapeProgram()
    program.input("x", [nil])
    program.add("non_zero", ["x": .name("x")], ("indices", [nil, 1], .int32))
    program.add(
      "gather_nd", ["x": .name("x"), "indices": .name("indices")], ("nonzero", [nil], .float32))
    program.add("shape", ["x": .name("nonzero")], ("count", [1], .int32))
    let made = try program.run(
      "nonzero", "count", of: ReferenceTensor([5], [0, 7, 0, 8, 9]))
    #expect(
      made == [ReferenceTensor([3], [7, 8, 9]), ReferenceTensor([1], integerValues: [3], .int32)])
  }

  @Test func `An index out of range is an error if the program says so`() throws {
    var checked = ShapeProgram()
    checked.input("x", [3])
    checked.input("i", [2], .int32)
    checked.input("u", [2])
    var unchecked = checked
    for isChecked in [true, false] {
      let inputs: [String: ShapeProgram.Argument] = [
        "data": .name("x"), "indices": .name("i"), "updates": .name("u"), "axis": .int(0),
        "mode": .string("update"), "validate_indices": .bool(isChecked),
      ]
      if isChecked {
        checked.add("scatter", inputs, ("y", [3], .float32))
      } else {
        unchecked.add("scatter", inputs, ("y", [3], .float32))
      }
    }
    let given = (
      ReferenceTensor.counting([3]), ReferenceTensor([2], integerValues: [-1, 1], .int32),
      ReferenceTensor([2], [7, 8])
    )
    let error = #expect(throws: EngineError.self) {
      try checked.run("y", of: given.0, given.1, given.2)
    }
    #expect(error?.message.contains("index -1 does not exist on axis 0, expected 0 to 2") == true)
    #expect(
      try unchecked.run("y", of: given.0, given.1, given.2) == [ReferenceTensor([3], [0, 8, 2])])
  }

  @Test(arguments: [1, 4]) func `A range goes up to a computed end`(length: Int) throws {
    var program = ShapeProgram()
    program.input("x", [nil])
    program.add("shape", ["x": .name("x")], ("s", [1], .int32))
    program.add("squeeze", ["x": .name("s"), "axes": .ints([0])], ("n", [], .int32))
    program.add(
      "range_1d", ["start": .int(0), "end": .name("n"), "step": .int(1)], ("y", [nil], .int32))
    let made = try program.run("y", of: .counting([length]))
    #expect(
      made == [ReferenceTensor([length], integerValues: (0..<length).map(Int64.init), .int32)])
  }

  @Test func `A part of a cache is replaced at an index that is an input`() throws {
    var program = ShapeProgram(.iOS18)
    program.input("x", [2, 4])
    program.input("u", [2, 1])
    program.input("begin", [2], .int32)
    program.input("end", [2], .int32)
    program.add(
      "slice_update",
      ["x": .name("x"), "update": .name("u"), "begin": .name("begin"), "end": .name("end")],
      ("y", [2, 4], .float32))
    let made = try program.run(
      "y", of: .counting([2, 4]), ReferenceTensor([2, 1], [-1, -2]),
      ReferenceTensor([2], integerValues: [0, 2], .int32),
      ReferenceTensor([2], integerValues: [2, 3], .int32))
    #expect(made == [ReferenceTensor([2, 4], [0, 1, -1, 3, 4, 5, -2, 7])])
  }

  @Test("A damaged node without outputs keeps its computed shape")
  func nodeWithoutOutputs() throws {
    var graph = Graph()
    let shape = graph.addConstant(
      Constant(ReferenceTensor([1], integerValues: [4], .int32)), name: "shape")
    graph.nodes = [
      Graph.Node(
        name: "fill", operation: FillDynamicOperator(value: 0), inputs: [shape], outputs: [])
    ]
    try FixComputedShapes.run(on: &graph)
    #expect(graph.nodes[0].operation is FillDynamicOperator)
  }
}

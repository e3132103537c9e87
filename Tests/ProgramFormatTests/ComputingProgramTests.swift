import Engine
import Testing

@Suite struct ComputingProgramTests {
  @Test func `The product of two vectors is a scalar, that of a vector and a matrix is a vector`()
    throws
  {
    var program = ShapeProgram()
    program.input("a", [3])
    program.input("b", [3])
    program.input("m", [3, 2])
    program.add("matmul", ["x": .name("a"), "y": .name("b")], ("dot", [], .float32))
    program.add("matmul", ["x": .name("a"), "y": .name("m")], ("row", [2], .float32))
    let made = try program.run(
      "dot", "row", of: ReferenceTensor([3], [1, 2, 3]), ReferenceTensor([3], [4, 5, 6]),
      ReferenceTensor([3, 2], [1, 0, 0, 1, 1, 1]))
    #expect(made == [ReferenceTensor([], [32]), ReferenceTensor([2], [4, 5])])
  }

  @Test func `Integer products are exact where floats are not`() throws {
    var program = ShapeProgram()
    program.input("a", [1, 2], .int32)
    program.input("b", [2, 1], .int32)
    program.add("matmul", ["x": .name("a"), "y": .name("b")], ("y", [1, 1], .int32))
    let made = try program.run(
      "y", of: ReferenceTensor([1, 2], integerValues: [16_777_217, 1], .int32),
      ReferenceTensor([2, 1], integerValues: [3, 2], .int32))
    #expect(made == [ReferenceTensor([1, 1], integerValues: [50_331_653], .int32)])
  }

  @Test func `Magnitudes, signs and squares of integers are exact`() throws {
    var program = ShapeProgram()
    program.input("x", [3], .int32)
    for name in ["abs", "sign", "square"] {
      program.add(name, ["x": .name("x")], (name, [3], .int32))
    }
    let made = try program.run(
      "abs", "sign", "square",
      of: ReferenceTensor([3], integerValues: [-16_777_217, 0, 46_339], .int32))
    #expect(made[0].integerValues == [16_777_217, 0, 46_339])
    #expect(made[1].integerValues == [-1, 0, 1])
    #expect(made[2].integerValues[2] == 2_147_302_921)
  }

  @Test func `Quotients, powers, means and bounds of integers are exact`() throws {
    var program = ShapeProgram()
    program.input("x", [2], .int32)
    program.input("y", [2], .int32)
    for name in ["real_div", "pow"] {
      program.add(name, ["x": .name("x"), "y": .name("y")], (name, [2], .int32))
    }
    program.add(
      "reduce_mean", ["x": .name("x"), "axes": .ints([0]), "keep_dims": .bool(true)],
      ("mean", [1], .int32))
    program.add(
      "clip", ["x": .name("x"), "alpha": .float(-0.5), "beta": .float(1e9)], ("clip", [2], .int32))
    for name in ["ceil", "floor", "round"] {
      program.add(name, ["x": .name("x")], (name, [2], .int32))
    }
    let made = try program.run(
      "real_div", "pow", "mean", "clip", "ceil", "floor", "round",
      of: ReferenceTensor([2], integerValues: [16_777_217, -9], .int32),
      ReferenceTensor([2], integerValues: [1, 2], .int32))
    #expect(
      made.map(\.integerValues) == [
        [16_777_217, -4], [16_777_217, 81], [8_388_604], [16_777_217, 0], [16_777_217, -9],
        [16_777_217, -9], [16_777_217, -9],
      ])
  }

  @Test func `Integer constants of a program are exact in padding and masks`() throws {
    var program = ShapeProgram()
    program.input("x", [2], .int32)
    program.add(
      "pad",
      [
        "x": .name("x"), "pad": .ints([1, 0]), "mode": .string("constant"),
        "constant_val": .int(16_777_217),
      ], ("pad", [3], .int32))
    program.add(
      "one_hot",
      [
        "indices": .name("x"), "one_hot_vector_size": .int(2), "axis": .int(-1),
        "on_value": .int(16_777_217), "off_value": .int(-16_777_217),
      ], ("marks", [2, 2], .int32))
    let made = try program.run(
      "pad", "marks", of: ReferenceTensor([2], integerValues: [1, 0], .int32))
    #expect(made[0].integerValues == [16_777_217, 1, 0])
    #expect(made[1].integerValues == [-16_777_217, 16_777_217, 16_777_217, -16_777_217])
  }

  @Test func `An einsum equation may have batch axes between the others`() throws {
    var program = ShapeProgram()
    program.input("a", [2, 1, 3])
    program.input("b", [3, 2, 1])
    program.add(
      "einsum", ["values": .names(["a", "b"]), "equation": .string("chw,whr->chr")],
      ("y", [2, 2, 1], .float32))
    let made = try program.run(
      "y", of: ReferenceTensor([2, 1, 3], [1, 2, 3, 4, 5, 6]),
      ReferenceTensor([3, 2, 1], [1, 10, 2, 20, 3, 30]))
    #expect(made == [ReferenceTensor([2, 2, 1], [14, 140, 32, 320])])
  }

  @Test(arguments: [
    ("reduce_sum", [14.0, 22]), ("reduce_mean", [3.5, 5.5]), ("reduce_max", [6, 8]),
    ("reduce_prod", [60, 672]), ("reduce_sum_square", [66, 138]),
  ])
  func `Non-adjacent axes are reduced`(name: String, expected: [Double]) throws {
    var program = ShapeProgram()
    program.input("x", [2, 2, 2])
    program.add(name, ["x": .name("x"), "axes": .ints([0, 2])], ("y", [2], .float32))
    let x = ReferenceTensor([2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(try program.run("y", of: x) == [ReferenceTensor([2], expected)])
  }

  @Test func `Indices of extremes are integers`() throws {
    var program = ShapeProgram()
    program.input("x", [2, 3])
    program.add(
      "reduce_argmax", ["x": .name("x"), "axis": .int(-1), "keep_dims": .bool(true)],
      ("y", [2, 1], .int32))
    let made = try program.run("y", of: ReferenceTensor([2, 3], [1, 5, 2, 9, 0, 3]))
    #expect(made == [ReferenceTensor([2, 1], integerValues: [1, 0], .int32)])
  }

  @Test(arguments: [1, 2]) func `Layer normalisation works over any axis`(axis: Int) throws {
    var program = ShapeProgram()
    program.input("x", [1, 2, 2])
    program.add(
      "layer_norm", ["x": .name("x"), "axes": .ints([Int32(axis)]), "epsilon": .float(0)],
      ("y", [1, 2, 2], .float32))
    let made = try program.run("y", of: ReferenceTensor([1, 2, 2], [1, 3, 7, 15]))
    let expected: [Double] = axis == 1 ? [-1, -1, 1, 1] : [-1, 1, -1, 1]
    #expect(zip(made[0].values, expected).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func `Attention ignores masked positions`() throws {
    var program = ShapeProgram(.iOS18)
    for name in ["q", "k", "v"] { program.input(name, [1, 2, 2]) }
    program.input("mask", [1, 2, 2])
    program.add("cast", ["x": .name("mask"), "dtype": .string("bool")], ("m", [1, 2, 2], .bool))
    program.add(
      "scaled_dot_product_attention",
      ["query": .name("q"), "key": .name("k"), "value": .name("v"), "attn_mask": .name("m")],
      ("y", [1, 2, 2], .float32))
    let ones = ReferenceTensor([1, 2, 2], [1, 1, 1, 1])
    let made = try program.run(
      "y", of: ones, ones, ReferenceTensor([1, 2, 2], [1, 2, 3, 4]),
      ReferenceTensor([1, 2, 2], [0, 1, 1, 1]))
    #expect(zip(made[0].values, [3, 4, 2, 3]).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test func `Norms of volumes run over all positions`() throws {
    var program = ShapeProgram()
    program.input("x", [1, 1, 2, 1, 2])
    program.add(
      "instance_norm", ["x": .name("x"), "epsilon": .float(0)], ("y", [1, 1, 2, 1, 2], .float32))
    let made = try program.run("y", of: ReferenceTensor([1, 1, 2, 1, 2], [1, 1, 3, 3]))
    #expect(made[0].shape == [1, 1, 2, 1, 2])
    #expect(zip(made[0].values, [-1, -1, 1, 1]).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func `Bounds in the wrong order are refused from iOS 17 on`() throws {
    func made(_ opset: Opset) throws -> [ReferenceTensor] {
      var program = ShapeProgram(opset)
      program.input("x", [1])
      program.add(
        "clip", ["x": .name("x"), "alpha": .float(2), "beta": .float(1)], ("y", [1], .float32))
      return try program.run("y", of: ReferenceTensor([1], [5]))
    }
    #expect(try made(.iOS16)[0].values == [1])
    let error = #expect(throws: EngineError.self) { try made(.iOS17) }
    #expect(error?.message.contains("expected 'alpha' to be the smaller one") == true)
  }
}

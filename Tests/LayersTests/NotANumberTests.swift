import Engine
import Operators
import Testing

/// Tests that no kernel replaces a NaN by a number.
@Suite("NaN")
struct NotANumberTests {
  @Test(
    "NaN appears in every kernel's output wherever it appears in the reference's",
    arguments: LayerCase.computing,
    [Form.all[0], Form.all[2], Form.all[4]])
  func kernelsKeepNaN(test: LayerCase, form: Form) throws {
    let decoded = try test.decoded()
    let layer = decoded.operation
    let parameters = try decoded.constants.map { try $0.value.tensor() }
    for position in test.sample.inputs.indices {
      var inputs: [ReferenceTensor] = test.makeInputs(form.storage)
      let count: Int = inputs[position].values.count
      guard count > 0 else { continue }
      inputs[position].values[count / 2] = .nan
      inputs += parameters
      // Some layers read indices or a shape from this input, which cannot be NaN. Such cases are skipped.
      guard let types = try? test.promisedTypes(layer, inputs),
        let answers = try? layer.reference(inputs)
      else { continue }
      // oneDNN's post-operations turn NaN into a number in a ReLU.
      let isFused: Bool = OperatorFamily.fused.layers.contains { $0 == test.type }
      for candidate in layer.candidates where !isFused || !candidate.name.hasPrefix("oneDNN") {
        guard let outputs = try form.trial.run(candidate, inputs: inputs, outputs: types) else {
          continue
        }
        for (output, answer) in zip(outputs, answers) {
          // An output may have more NaN than the reference. Zero padding times NaN is NaN, and Winograd's sums mix
          // pixels.
          let missing: Set<Int> = nanIndices(of: answer).subtracting(nanIndices(of: output))
          #expect(
            missing.isEmpty,
            "\(candidate.name) with NaN in input \(position): numbers at \(missing)")
        }
      }
    }
  }

  private func nanIndices(of tensor: ReferenceTensor) -> Set<Int> {
    Set(tensor.values.indices.filter { tensor.values[$0].isNaN })
  }
}

import Engine
import Operators
import Testing

/// A wrong number must not look like a right one.
@Suite("NaN")
struct NotANumberTests {
  @Test(
    "comes out of every kernel where it comes out of the reference", arguments: LayerCase.computing,
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
      // Some read an index or a shape there, which cannot be NaN.
      guard let types = try? test.promisedTypes(layer, inputs),
        let answers = try? layer.reference(inputs)
      else { continue }
      for candidate in layer.candidates {
        guard let outputs = try form.trial.run(candidate, inputs: inputs, outputs: types) else {
          continue
        }
        for (output, answer) in zip(outputs, answers) {
          // More may be lost: zeros that pad a product make NaN of NaN, and Winograd's sums mix pixels.
          let missing: Set<Int> = places(of: answer).subtracting(places(of: output))
          #expect(
            missing.isEmpty,
            "\(candidate.name) with NaN in input \(position): numbers at \(missing)")
        }
      }
    }
  }

  private func places(of tensor: ReferenceTensor) -> Set<Int> {
    Set(tensor.values.indices.filter { tensor.values[$0].isNaN })
  }
}

